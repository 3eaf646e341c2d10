"""Floors on which something was got wrong on purpose, so that a diagnosis can be compared with the truth.

`turns` says which faults a world has, `mixes` and `wrongs` draw its details, `played` demonstrates, trains and picks
with any of its faults taken away, `truth` makes shares of that, `written` is what a team would know, `planted` keeps
both; `peers` with `features` are two other ways of finding a cause, `answers` asks all of them (`kept` writes them
down), `scores` and `table` count; `later` is a second family of worlds, `families` lists both. No code is shared with
`fieldloop.diagnose`. What is shared: the names of columns and of the eight causes, and a few numbers of the diagnosis
that were measured on development worlds of this generator (docs/diagnosis.md lists them).
"""
