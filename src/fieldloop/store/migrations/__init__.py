"""How the ledger came to its present layout: one file per step. Written by hand, run by `store.migrate`."""
