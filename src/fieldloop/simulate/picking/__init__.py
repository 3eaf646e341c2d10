"""A picking floor for many thousand picks: arrays in, arrays out, success only from what the policy's actions did.

`world` is the door. Behind it, in the order of a pick: `strata`, `presets`, `sites` and `catalogue` say what there is;
`drawing` and `surroundings` draw `scenes` from it; people choose (`choosing`) and demonstrate (`demonstrating`) by
their habits (`operators`), or a policy answers what `sight` shows, step by step in `pick`; `physics` with `shapes` and
`wear` says what came of it. `faults` says what somebody got wrong on purpose. `nouns`, `map_text` and `recording`
write it down.
"""
