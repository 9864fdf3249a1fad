"""Authorization over real sockets, with real files and a real second process."""
