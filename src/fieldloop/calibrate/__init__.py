"""Where was each sensor? Fits, verifications, intervals of validity, and the episodes that a moved camera spoilt."""

from fieldloop.calibrate.extrinsic import extrinsic
from fieldloop.calibrate.validity import closed_by, flagged, in_force
from fieldloop.calibrate.verify import Verification, View, verify

__all__ = ["Verification", "View", "closed_by", "extrinsic", "flagged", "in_force", "verify"]
