"""A vectorised picking simulator for many thousand picks; success follows only from the policy's actions.

`world` is the entry point. In the order of a pick: `strata`, `presets`, `sites` and `catalogue` define what exists;
`drawing` and `surroundings` draw `scenes` from it; people choose grasps (`choosing`) and demonstrate (`demonstrating`)
by their habits (`operators`), or a policy answers what `sight` shows, step by step in `pick`; `physics` with `shapes`
and `wear` decides the result. `faults` are planted on purpose. `nouns`, `map_text` and `recording` write the records.
"""
