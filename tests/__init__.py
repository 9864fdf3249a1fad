"""The tests: pure ones by folder, then those with real pipes, sockets and servers."""
