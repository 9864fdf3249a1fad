"""The benchmark: that it runs, that it draws its table, and that its check catches what is too slow."""
