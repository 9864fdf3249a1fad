"""The client against servers that people use, and against servers written with the libraries people use."""
