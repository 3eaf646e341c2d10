"""How fast formats are read and written, against the readers and writers that others use."""
