"""The deployment map: audit it, compare it with logs, notice edits, make a catalogue from order lines."""
