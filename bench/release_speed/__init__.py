"""Parts of `bench.releases`: freezing and comparing, exporting, and loading frames."""
