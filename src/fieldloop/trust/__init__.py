"""Where a policy comes from, and evidence that nobody can change unnoticed.

`trace` goes back from a policy to operators, calibrations and providers; `chain` and `verify` seal records.
"""

from fieldloop.trust.chain import Link, Verification, chain, verify
from fieldloop.trust.lineage import Lineage, Origin, trace

__all__ = ["Lineage", "Link", "Origin", "Verification", "chain", "trace", "verify"]
