"""Answers of the diagnosis beside the truth, one row a world, whatever made the world.

`row` is a world with its answers, `ask` asks about a folder, `logistic` makes rows of logistic worlds, `seeds` derives
the seeds of final worlds from a commit, `results` keeps rows in a file, `matching` says what counts as right, `scores`
counts, `summary` writes tables. Worlds of the simulator with decoys make their rows in `bench/planted/decoys`.
"""
