"""Work handed to people and robots: templates, rotation, articles, initial conditions, sheets out and back."""
