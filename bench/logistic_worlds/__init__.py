"""Worlds whose success follows a logistic model, so that the share of every cause is known exactly.

`names` are the words, `floor` draws a map, `setting` is what a world will be, `rows` draws attempts and demonstrations
from it, `faults` and `data_faults` plant causes, `decoys` adds what looks wrong and costs nothing, `truth` computes
shares, `turns` says which cause a seed has, `world` puts it together, `case_folder` writes it as docs/cases.md
describes. Nothing here imports the diagnosis, the simulator or the other planted worlds: a folder is all that they
have in common.
"""
