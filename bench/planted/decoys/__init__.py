"""Worlds of the first family as other teams would record them: with harmless findings, other headers, and gaps.

`dressed` changes the records and nothing else, so a world and its truth are those of the first family for the same
seed; `asked` diagnoses it twice, under the known and under foreign headers, and makes a row of it.
"""
