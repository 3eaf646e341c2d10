"""Migrations of the ledger's schema: one file per step, written by hand, run by `store.migrate`."""
