"""The corridor: every use case once, in loop order.

A use case loads what a room needs, calls the room, and writes down what happened. The command line, the HTTP API and
the pages call these functions and nothing below. `catalogue` lists them; `workspace` is what they all work on.
"""
