"""By how much pictures and joints of a labelled episode differ in time, as the house measures it from content."""

import fieldloop.check as checks
from bench.proposal_cases import Known
from fieldloop.check.content_lag import estimate_pooled_lag, read_content_lag_settings
from fieldloop.loop.look.checked import LAG
from fieldloop.loop.protocol.in_force import require_protocol_in_force
from fieldloop.loop.work.measure_part import Rules
from fieldloop.model.stream import MS_PER_S

TOO_WIDE = "check.lag_too_wide"
"""Refused by `check` because the interval is wider than its limit of milliseconds; half a frame is enough here."""
HALF_FRAME = 0.5


def measure_picture_lag_s(case: Known) -> float | None:
    """Return by how much later joints were logged than the pictures of the same moment; None where that is unknown."""
    rules = Rules(require_protocol_in_force(None))
    imprint = checks.take_imprint(rules.make_case(case.recording))
    wanted = f"{case.camera}/"
    kept = {name.removeprefix(wanted): a for name, a in imprint.list_arrays_under(LAG) if name.startswith(wanted)}
    if not kept:
        return None
    settings = read_content_lag_settings(rules.get_protocol(case.recording.episode))
    lag = estimate_pooled_lag([kept], settings)
    if lag.has_estimate:
        return lag.lag_s
    if lag.refused is None or lag.refused.code != TOO_WIDE:
        return None
    known = {name: value for name, value in lag.refused.numbers if isinstance(value, float)}
    return known["lag_ms"] / MS_PER_S if known["half_ms"] / MS_PER_S * case.hz <= HALF_FRAME else None
