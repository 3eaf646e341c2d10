"""How fast, how well: each module is one bench with `measure(short) -> figures`; `python -m bench` runs them all."""
