"""What must hold for the repository itself: layers, names, sizes, generated files, documents."""
