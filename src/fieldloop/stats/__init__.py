"""Mathematics that rooms share, each file named after its subject; NumPy alone at import, SciPy where it is called."""
