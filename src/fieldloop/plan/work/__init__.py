"""Work orders for people and robots: templates, rotation, articles, initial conditions, order sheets."""
