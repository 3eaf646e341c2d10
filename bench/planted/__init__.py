"""Floors on which something was got wrong on purpose, so that a diagnosis can be compared with the truth.

`turns` says which faults a world has, `mixes` and `wrongs` draw its details, `played` demonstrates, trains and picks
with any of its faults taken away, `truth` makes shares of that, `written` is what a team would know, `planted` keeps
both; `peers` with `features` are two other ways of finding a cause, `answers` asks all of them (`kept` writes them
down), `scores` and `table` count; `later` is a second family of worlds, `families` lists both; `decoys` are the worlds
of the first with other records. The generator imports nothing of `fieldloop.diagnose`, but both use the same column
names and causes, and some numbers of the diagnosis were measured on worlds made here (docs/diagnosis.md). Worlds
that share no code with either are in `bench/logistic_worlds`.
"""
