"""Messages become streams: one decoder an encoding, one topic a channel, whatever file they came in."""
