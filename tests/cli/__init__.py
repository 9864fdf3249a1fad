"""The command line, run as users run it: in pipes, on terminals, and interrupted."""
