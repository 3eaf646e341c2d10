"""How to read the vector of agreement: each number with the tolerance it holds at, the most forgiving first."""

from dataclasses import dataclass

from fieldloop.model.agreement import AgreementEstimate, AgreementVector
from fieldloop.model.finding import Status
from fieldloop.say.numbers import format_fixed, format_number, percent


@dataclass(frozen=True, slots=True)
class Reading:
    """One number in plain words: what it asks, how far apart two may draw and still agree, and its limit if any.

    `status` is None where no limit judges the number.
    """

    name: str
    written: str
    asks: str
    tolerance: str
    status: Status | None = None


TOO_FEW = "agree.too_few_episodes"
ANY_TIME = "any shift: times are not looked at"
BY_LENGTH = "a shift by a tenth of a segment's length costs 1 %"
"""The dissimilarity of gamma grows with the square of the shift, as a share of the two segments' lengths."""


def list_readings(vector: AgreementVector, min_kappa: float | None, max_frames: float | None) -> tuple[Reading, ...]:
    """Return the numbers of a vector from the most forgiving to the strictest; those that are undefined are left out.

    A number near 1 at the top and a low one below it say: the same things were drawn, but not at the same times.
    """
    frames, kappa = vector.boundary_mae_frames, vector.kappa
    limits = (_write_limit("below", max_frames, " frames"), _write_limit("above", min_kappa))
    rows = (
        (vector.edit, "Edit", 2, "are the same labels in the same order?", ANY_TIME, None),
        (vector.gamma, "Gamma", 2, "are the same segments in about the same place?", BY_LENGTH, None),
        (vector.f1_10, "F1@10", 2, "do segments with the same label touch?", _write_overlap(0.1), None),
        (vector.f1_50, "F1@50", 2, "do they mostly cover each other?", _write_overlap(0.5), None),
        (vector.f1_90, "F1@90", 2, "do they cover each other nearly fully?", _write_overlap(0.9), None),
        (
            frames, "Boundaries apart", 1, "how many frames lie between boundaries that both drew?",
            f"none{limits[0]}", _judge(vector, frames, max_frames, above=False),
        ),
        (
            kappa, "Kappa", 2, "is the label the same at each moment, beyond chance?", f"none{limits[1]}",
            _judge(vector, kappa, min_kappa, above=True),
        ),
    )  # fmt: skip
    return tuple(
        Reading(name, _write_estimate(one, digits), asks, tolerance, status)
        for one, name, digits, asks, tolerance, status in rows
        if one.value is not None
    )


def write_reading(vector: AgreementVector) -> str:
    """Sum a vector up in a sentence that no single high number can hide.

    >>> from fieldloop.model.agreement import AgreementEstimate as E
    >>> numbers = (E(0.8), E(9.0), E(), E(), E(), E(1.0), E(0.95), E(0.33), E(1.0), E(0.99))
    >>> write_reading(AgreementVector("phase", ("a", "b"), 2, 9, *numbers))
    'F1 is 0.95 of 1 where segments share half of their joint length, and 0.33 where nine tenths. Boundaries lie 9.0 \
frames apart. Gamma 0.99 forgives such shifts.'
    """
    loose, strict, apart, gamma = vector.f1_50.value, vector.f1_90.value, vector.boundary_mae_frames.value, vector.gamma
    words = []
    if loose is not None and strict is not None:
        words.append(
            f"F1 is {format_fixed(loose, 2)} of 1 where segments share half of their joint length, and "
            f"{format_fixed(strict, 2)} where nine tenths."
        )
    if apart is not None:
        words.append(f"Boundaries lie {format_fixed(apart, 1)} frames apart.")
    if gamma.value is not None and apart:
        words.append(f"Gamma {format_fixed(gamma.value, 2)} forgives such shifts.")
    return " ".join(words)


def _write_overlap(share: float) -> str:
    return f"{percent(share, 0)} of the joint length must be shared"


def _write_limit(word: str, limit: float | None, unit: str = "") -> str:
    return "" if limit is None else f"; required: {word} {format_number(limit)}{unit}"


def _judge(vector: AgreementVector, estimate: AgreementEstimate, limit: float | None, *, above: bool) -> Status | None:
    """Judge a number as the vector does: by its interval, and not at all on too few episodes."""
    if limit is None:
        return None
    too_few = vector.reason is not None and vector.reason.code == TOO_FEW
    return Status.CANNOT_TELL if too_few else estimate.judge(limit, above=above)


def _write_estimate(estimate: AgreementEstimate, digits: int) -> str:
    written = format_fixed(estimate.value, digits)
    if estimate.low is None or estimate.high is None:
        return written
    return f"{written} ({format_fixed(estimate.low, digits)} to {format_fixed(estimate.high, digits)})"
