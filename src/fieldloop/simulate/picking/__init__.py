"""A picking floor for many thousand picks: arrays in, arrays out, success only from what the policy's actions did.

`world` is the door. Behind it, in the order of a pick: `strata`, `presets`, `sites`, `catalogue` and `scenes` say what
is there; `operators` or a policy answer what `sight` shows, step by step in `pick`; `physics` with `shapes` and `wear`
says what came of it; `faults` says what somebody got wrong on purpose; `nouns` and `recording` write it down.
"""
