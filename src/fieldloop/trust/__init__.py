"""The lineage of a policy, and tamper-evident records of it.

`trace_lineage` follows a policy back to operators, calibrations and providers; `seal_records` seals records and
`verify_chain` verifies them.
"""

from fieldloop.trust.chain import ChainVerification, Link, seal_records, verify_chain
from fieldloop.trust.lineage import Lineage, Origin, find_origins_depending_on, make_origins, trace_lineage

__all__ = [
    "ChainVerification",
    "Lineage",
    "Link",
    "Origin",
    "find_origins_depending_on",
    "make_origins",
    "seal_records",
    "trace_lineage",
    "verify_chain",
]
