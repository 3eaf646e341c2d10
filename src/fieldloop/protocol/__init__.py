"""Numbers someone could argue with: each with its unit, why it is so, and where it comes from.

Two kinds of file: a *protocol* states how one task is collected and judged (`shipped/`, a workspace's
`protocols/<task>.toml`); *operations* state how to run (`operations.toml`). A workspace's file states only what it
changes; everything else is the shipped default. Fingerprints are made of the numbers in force, not of the text.
A protocol's nouns stand one a file (`phase`, `interface`, `script`, `viewpoint`, `sensor`, `synchronisation`,
`balance`); `linting/` checks a file, `difference` compares two, `unverified` lists devices that block a release.
"""

from fieldloop.protocol.agreement import require_agreement
from fieldloop.protocol.balance import Balance
from fieldloop.protocol.collection import CollectionProtocol, default_protocol, parse_protocol
from fieldloop.protocol.difference import Change, ProtocolDiff, compare_protocols
from fieldloop.protocol.interface import Interface
from fieldloop.protocol.linting import Remark, Severity, lint_protocol
from fieldloop.protocol.number import Limit, Parameter, Setting, Source
from fieldloop.protocol.operations import Operations, Section, default_operations, parse_operations
from fieldloop.protocol.phase import Phase
from fieldloop.protocol.script import Script
from fieldloop.protocol.sensor import SensorRequirement
from fieldloop.protocol.statements import Effect
from fieldloop.protocol.synchronisation import Synchronisation, SyncMeans, SyncVerification
from fieldloop.protocol.unverified import Unverified, list_unverified_devices
from fieldloop.protocol.viewpoint import Viewpoint

__all__ = [
    "Balance",
    "Change",
    "CollectionProtocol",
    "Effect",
    "Interface",
    "Limit",
    "Operations",
    "Parameter",
    "Phase",
    "ProtocolDiff",
    "Remark",
    "Script",
    "Section",
    "SensorRequirement",
    "Setting",
    "Severity",
    "Source",
    "SyncMeans",
    "SyncVerification",
    "Synchronisation",
    "Unverified",
    "Viewpoint",
    "compare_protocols",
    "default_operations",
    "default_protocol",
    "lint_protocol",
    "list_unverified_devices",
    "parse_operations",
    "parse_protocol",
    "require_agreement",
]
