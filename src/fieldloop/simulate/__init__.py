"""Simulated worlds to try everything on: recordings, policies and outcomes that are really computed.

`arm/` is one arm with a renderer: it writes logs and runs the demo. `picking/` is a vectorised picking floor on which
policies are cloned by the hundred.
"""
