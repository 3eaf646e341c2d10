"""Conditions that no demonstration showed: what is lost under them is theirs before it is laid to anything else.

They stand side by side from the start, because a fault that acts everywhere must show in the conditions that were
covered too: beside these columns its size is estimated there, and only there.
"""

from collections.abc import Sequence

import numpy as np

from fieldloop.diagnose import gaps
from fieldloop.diagnose.beliefs import COVERABLE, never_shown
from fieldloop.diagnose.candidates import NEW_ITEM, Candidate, Kind
from fieldloop.diagnose.demonstrated import Demonstrations
from fieldloop.diagnose.joint import fit_jointly
from fieldloop.diagnose.real import variances
from fieldloop.diagnose.search import TINY, Found, Search, with_diffuse
from fieldloop.diagnose.table import Floats
from fieldloop.protocol import Section


def uncovered(search: Search, shown: Demonstrations | None, settings: Section) -> list[Found]:
    """Conditions never shown that clearly lose beside each other, the clearest first."""
    from scipy.special import ndtr

    most = settings.number("confounded_overlap")
    kept = _apart(search, never_demonstrated(search, shown, settings), most)
    looked_at = max(len(kept), 1)
    scores = _scores(search, kept)
    while kept and scores.min() < settings.number("beside_errors"):
        del kept[int(np.argmin(scores))]
        scores = _scores(search, kept)
    twins = _likeness(search, kept) >= most
    found = []
    for order in np.argsort(-scores, kind="stable").tolist():
        one, score = search.options[kept[order]], float(scores[order])
        rivals = [search.options[k] for k in np.flatnonzero(twins[:, order]).tolist() if k != kept[order]]
        single = tuple(c for c in rivals if len(c.stratum.conditions) == 1 and not _measures(c, one))
        chance = min(1.0, looked_at * float(ndtr(-score)))
        found.append(Found(one, score**2 / 2.0, chance, looked_at, single))
    return found


def covered_rows(found: Sequence[Found], rows: int, least: float) -> Floats:
    """Mark rows under none of these, where there are enough to say what acts everywhere; all rows where not."""
    covered = np.ones(rows)
    for one in found:
        covered[one.candidate.inside] = 0.0
    return covered if covered.sum() >= least else np.ones(rows)


def never_demonstrated(search: Search, shown: Demonstrations | None, settings: Section) -> list[int]:
    """Which candidates were never shown; not those of a factor that has no other level in production.

    Where every level is new there is nothing covered to compare with, so that it cannot be told from a fault that acts
    everywhere.
    """
    asked = [
        at for at, c in enumerate(search.options) if c.kind is Kind.CONDITION and c.stratum.conditions != (NEW_ITEM,)
    ]
    new = [at for at in asked if _new(search.options[at], shown, settings)]
    return [at for at in new if not _whole_factor(search, new, at)]


def _measures(number: Candidate, condition: Candidate) -> bool:
    """Is it a number of the same sort, as lux is of light? Then it says the same and is no other explanation."""
    return number.kind is not Kind.CONDITION and gaps.of_stratum(number.stratum) is gaps.of_stratum(condition.stratum)


def _new(one: Candidate, shown: Demonstrations | None, settings: Section) -> bool:
    return gaps.of_stratum(one.stratum) in COVERABLE and never_shown(one.stratum, shown, settings) is True


def _whole_factor(search: Search, new: list[int], at: int) -> bool:
    factor = search.options[at].stratum.conditions[0].factor
    own = [k for k in new if search.options[k].stratum.conditions[0].factor == factor]
    return bool(search.matrix[:, own].any(axis=1).all())


def _apart(search: Search, new: list[int], most: float) -> list[int]:
    """Of conditions that always go together the one that is believed first."""
    kept: list[int] = []
    ordered = sorted(new, key=lambda k: gaps.rank(search.options[k].stratum))
    alike = _likeness(search, ordered)
    for place, at in enumerate(ordered):
        if not kept or alike[kept, place].max() < most:
            kept.append(at)
    return kept


def _likeness(search: Search, some: list[int]) -> Floats:
    """Correlation of every candidate's rows (down) with those of some (across)."""
    centred = search.matrix - search.matrix.mean(axis=0) if len(search.matrix) else search.matrix
    centred = centred / np.maximum(np.linalg.norm(centred, axis=0), TINY)
    return np.asarray(centred.T @ centred[:, some])


def _scores(search: Search, kept: list[int]) -> Floats:
    """What each loses beside the others, in standard errors."""
    columns = with_diffuse([search.options[at] for at in kept], len(search.after))
    fitted = fit_jointly(columns, search.after.success, search.expected)
    variance = variances(search, fitted, columns, np.ones(len(search.after)))[1:] + search.unsure[kept]
    return np.asarray((-fitted.coefficients[1:] - search.known[kept]) / np.sqrt(variance))
