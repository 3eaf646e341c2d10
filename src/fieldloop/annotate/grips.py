"""When fingers move, in which direction they close, and when they hold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from fieldloop.annotate.direction import is_held_from_start, list_rests, weigh_levels
from fieldloop.annotate.limbs import Limb, choose_window, compute_slope, reduce_noise
from fieldloop.annotate.motion import Floats, find_true_spans


@dataclass(frozen=True, slots=True)
class FingerMove:
    """One movement of the fingers: grid indices, and how far they went as a signed share of their range."""

    begin: float
    end: int
    travel: float


@dataclass(frozen=True, slots=True)
class Hold:
    """From where the fingers start to close to where they start to open; None where they never do.

    At `gripped` they have gone a good part of their way. `still` is how slow the arm is at both ends, 0 to 1.
    `from_start`: the item was held when the recording began, so their closing is not in it.
    """

    closing: float
    gripped: float
    closed: int
    opening: float | None
    opened: int | None
    still: float
    sureness: float
    from_start: bool = False


@dataclass(frozen=True, slots=True)
class Holds:
    """The holds of a limb, whether a high value is open, and how well holds of that direction explain its moves.

    `direction` is how sure the direction is, 0 to 1.
    """

    holds: tuple[Hold, ...]
    high_is_open: bool
    sureness: float
    direction: float = 1.0


def find_finger_moves(limb: Limb, numbers: Mapping[str, float]) -> list[FingerMove]:
    """Find movements that take the fingers over a good part of their range, well above their noise."""
    if limb.opening is None:
        return []
    window = choose_window(numbers["finger_smooth_s"], limb.hz)
    even = reduce_noise(limb.opening, window)
    if float(np.std(limb.opening - even)) * numbers["extent_over_noise"] > 1:
        return []
    rate = compute_slope(even, window, limb.hz)
    limit = numbers["finger_rate_share"] * float(np.abs(rate).max())
    spans = [
        (a, b, sign)
        for sign in (1.0, -1.0)
        for a, b in _join_spans(find_true_spans(sign * rate > limit), numbers["finger_join_s"] * limb.hz)
    ]
    moves = []
    for a, b, sign in sorted(spans):
        last = min(b, len(even) - 1)
        travel = float(even[last] - even[max(a - 1, 0)])
        if sign * travel >= numbers["finger_travel_share"]:
            moves.append(FingerMove(_find_begin(even, max(a - 1, 0), last, sign, numbers), last, travel))
    return moves


def _join_spans(spans: Sequence[tuple[int, int]], most: float) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for a, b in spans:
        if joined and a - joined[-1][1] <= most:
            joined[-1] = (joined[-1][0], b)
        else:
            joined.append((a, b))
    return joined


def _find_begin(opening: Floats, begin: int, end: int, sign: float, numbers: Mapping[str, float]) -> float:
    gone = sign * (opening[begin : end + 1] - opening[begin])
    low, high = numbers["move_early"], numbers["move_late"]
    first, second = (_find_index_reaching(gone, share * gone[-1]) for share in (low, high))
    return begin + max(0.0, first - (second - first) * low / (high - low))


def _find_index_reaching(path: Floats, level: float) -> float:
    index = int(np.argmax(path >= level))
    step = path[index] - path[index - 1] if index else 0.0
    return index - float((path[index] - level) / step) if step > 0 else float(index)


def find_holds(limb: Limb, numbers: Mapping[str, float]) -> Holds | None:
    """Find the holds, in the direction of closing that fits better; None without a movement of the fingers.

    Fingers take hold and let go while the arm is slow, the arm travels in between, and an episode usually begins with
    open fingers, so its first movement at rest closes them. An item that blocks or presses the fingers shows the closed
    level. A stated direction counts alone.
    """
    moves = find_finger_moves(limb, numbers)
    if not moves:
        return None
    options = [limb.high_is_open] if limb.high_is_open is not None else [True, False]
    rests = list_rests(limb, [(int(m.begin), m.end, m.travel) for m in moves], numbers)
    shown = weigh_levels(limb, rests, numbers)
    scored = []
    for high_is_open in options:
        holds = _pair_moves(limb, moves, numbers, high_is_open=high_is_open)
        carried = max((hold.sureness for hold in holds), default=0.0)
        if (moves[0].travel < 0) == high_is_open:
            carried += numbers["begins_open_weight"] * _measure_stillness(limb, moves[0])
        else:
            carried = max(carried, numbers["unseen_counts"] * _score_first_opening(limb, moves[0], numbers).sureness)
        seen = max(0.0, shown if high_is_open else -shown)
        scored.append((carried + numbers["blocked_weight"] * seen, high_is_open, holds))
    scored.sort(key=lambda each: -each[0])
    (best, direction, holds), rest = scored[0], scored[1:]
    if not holds:
        return None
    margin = 1.0 if not rest else min(1.0, (best - rest[0][0]) / max(best, 1e-9) + numbers["direction_base"])
    used = sum(1 + (hold.opening is not None) for hold in holds)
    return Holds(tuple(holds), direction, margin * min(1.0, used / len(moves)) ** 0.5, margin)


def _pair_moves(
    limb: Limb, moves: Sequence[FingerMove], numbers: Mapping[str, float], *, high_is_open: bool
) -> list[Hold]:
    """Pair the closings before each opening with it.

    Of several closings in a row, the one with the stillest arm takes hold: others shape the hand on the way.
    """
    holds: list[Hold] = []
    row: list[FingerMove] = []
    opens_first = (moves[0].travel < 0) != high_is_open
    if opens_first and is_held_from_start(limb, moves[0].begin, numbers, high_is_open=high_is_open):
        holds.append(_score_first_opening(limb, moves[0], numbers))
    for move in moves:
        if (move.travel < 0) == high_is_open:
            row.append(move)
        elif row:
            holds.append(_score_hold(limb, _choose_closing(limb, row, numbers), move, numbers))
            row = []
    last = len(limb.speed) - 1
    if row and last - row[-1].end >= numbers["hold_min_s"] * limb.hz:
        holds.append(_score_hold(limb, _choose_closing(limb, row, numbers), None, numbers))
    return [hold for hold in holds if hold.sureness > 0]


def _choose_closing(limb: Limb, row: Sequence[FingerMove], numbers: Mapping[str, float]) -> FingerMove:
    """Return the closing with the stillest arm; an earlier one belongs to it where the arm stays still in between."""
    stillness = [round(_measure_stillness(limb, move), 1) for move in row]
    chosen = len(row) - 1 - stillness[::-1].index(max(stillness))
    slow = numbers["grasp_slow_share"]
    while chosen and limb.speed[int(row[chosen - 1].begin) : int(row[chosen].begin) + 1].max() < slow:
        chosen -= 1
    return row[chosen]


def _score_hold(limb: Limb, closing: FingerMove, opening: FingerMove | None, numbers: Mapping[str, float]) -> Hold:
    """Rate a hold by how slow the arm is when the fingers move, and by how far it travels in between."""
    until = len(limb.speed) - 1 if opening is None else int(opening.begin)
    unseen = numbers["unseen_counts"]
    ends = [_measure_stillness(limb, closing), _measure_stillness(limb, opening) if opening else unseen]
    carried = measure_travel(limb, int(closing.begin), until)
    still = float(np.mean(ends))
    sureness = still * min(1.0, numbers["carry_times"] * carried)
    if measure_travel(limb, 0, int(closing.begin)) < numbers["reach_least"]:
        sureness *= unseen
    gripped = closing.begin + numbers["gripped_share"] * (closing.end - closing.begin)
    if opening is None:
        return Hold(closing.begin, gripped, closing.end, None, None, still, sureness)
    return Hold(closing.begin, gripped, closing.end, opening.begin, opening.end, still, sureness)


def _score_first_opening(limb: Limb, opening: FingerMove, numbers: Mapping[str, float]) -> Hold:
    """Rate the reading that an item was held from the beginning and let go by the first movement of the fingers."""
    still = float(np.mean([numbers["unseen_counts"], _measure_stillness(limb, opening)]))
    carried = measure_travel(limb, 0, int(opening.begin))
    sureness = still * min(1.0, numbers["carry_times"] * carried)
    return Hold(0.0, 0.0, 0, opening.begin, opening.end, still, sureness, from_start=True)


def _measure_stillness(limb: Limb, move: FingerMove) -> float:
    """Return how slow the arm is, 0 to 1, while the fingers go the first half of their way."""
    begin = int(move.begin)
    here = limb.speed[begin : max(begin + (move.end - begin) // 2, begin + 1) + 1]
    return float(np.clip(1 - here.mean(), 0, 1))


def measure_travel(limb: Limb, begin: int, end: int) -> float:
    """Return which share of the arm's whole way lies between two indices."""
    whole = float(limb.speed.sum())
    return float(limb.speed[max(begin, 0) : max(end, 0)].sum()) / whole if whole > 0 else 0.0


def split_regrasps(
    limb: Limb, holds: Sequence[Hold], numbers: Mapping[str, float]
) -> tuple[list[Hold], list[tuple[Hold, Hold]]]:
    """Return the holds that carried, and pairs of a hold that carried nothing and the one that repeats it.

    A grasp is repeated where the fingers open again before the arm has gone on, and close again nearby. The arm is slow
    each time: a hand that only changes its shape on the way does not grasp.
    """
    clear = [h for h in holds if h.still >= 1 - numbers["grasp_slow_share"]]
    repeated = [(a, b) for a, b in pairwise(holds) if a in clear and b in clear and _is_repeated(limb, a, b, numbers)]
    first = {id(a) for a, _ in repeated}
    return [h for h in holds if id(h) not in first], repeated


def _is_repeated(limb: Limb, first: Hold, second: Hold, numbers: Mapping[str, float]) -> bool:
    if first.opening is None:
        return False
    carried = measure_travel(limb, first.closed, int(first.opening))
    between = measure_travel(limb, int(first.opening), int(second.closing))
    return carried < numbers["carry_share"] and between < numbers["regrasp_reach"]
