"""Signals that several checks use (speeds, contacts, timestamps, frames), each computed once per episode."""
