"""Everything deployed that no demonstration shows: strata, combinations, ends of ranges, positions, regions."""
