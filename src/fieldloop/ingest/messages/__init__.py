"""Turn messages into streams: one decoder per encoding, one topic per channel, for every container format."""
