"""The lineage of a policy, and tamper-evident records of it.

`trace` follows a policy back to operators, calibrations and providers; `chain` and `verify` seal records.
"""

from fieldloop.trust.chain import Link, Verification, seal_records, verify_chain
from fieldloop.trust.lineage import Lineage, Origin, trace_lineage

__all__ = ["Lineage", "Link", "Origin", "Verification", "seal_records", "trace_lineage", "verify_chain"]
