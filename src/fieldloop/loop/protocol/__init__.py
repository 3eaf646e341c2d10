"""Protocols: the one in force, and how to write, check, compare, print and lock one."""
