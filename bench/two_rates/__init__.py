"""What `bench.sequential` compares with: the fixed test, the bound of any sequential test, and another library."""
