"""The lineage of a policy, and tamper-evident records of it.

`trace` follows a policy back to operators, calibrations and providers; `chain` and `verify` seal records.
"""

from fieldloop.trust.chain import Link, Verification, chain, verify
from fieldloop.trust.lineage import Lineage, Origin, trace

__all__ = ["Lineage", "Link", "Origin", "Verification", "chain", "trace", "verify"]
