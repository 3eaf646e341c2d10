"""Parts of `bench.value`: operators of three tiers, what estimates a demonstration's worth, and the rounds."""
