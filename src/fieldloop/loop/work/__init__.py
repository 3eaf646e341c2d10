"""How use cases work on logs and files: where work runs, how it is cut into parts, what is kept of it."""
