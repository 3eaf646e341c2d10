"""Numbers someone could argue with: each with its unit, why it is so, and where it comes from.

Two kinds of file: a *protocol* says how to collect one task and judges episodes (`shipped/`, a workspace's
`protocols/<task>.toml`); *operations* say how to run (`operations.toml`). A workspace's file states only what it
changes; everything else is the shipped default. Fingerprints are made of the numbers in force, not of the text.
"""

from fieldloop.protocol.agreement import agree
from fieldloop.protocol.collection import CollectionProtocol, default_protocol, parse_protocol
from fieldloop.protocol.number import Limit, Setting, Source
from fieldloop.protocol.operations import Operations, Section, default_operations, parse_operations

__all__ = [
    "CollectionProtocol",
    "Limit",
    "Operations",
    "Section",
    "Setting",
    "Source",
    "agree",
    "default_operations",
    "default_protocol",
    "parse_operations",
    "parse_protocol",
]
