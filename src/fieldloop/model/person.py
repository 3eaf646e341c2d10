"""Actors: people by pseudonym and role, never by name."""

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """What a person or machine may do."""

    ADMIN = "admin"
    ENGINEER = "engineer"
    OPERATOR = "operator"
    ANNOTATOR = "annotator"
    PROVIDER = "provider"
    ROBOT = "robot"


class Duty(StrEnum):
    """What a person is responsible for this week."""

    ON_CALL_OPERATOR = "on_call_operator"
    SENIOR_OPERATOR = "senior_operator"
    LEAD_ANNOTATOR = "lead_annotator"
    TEAM_LEAD = "team_lead"
    ML_ENGINEER = "ml_engineer"


@dataclass(frozen=True, slots=True)
class Actor:
    """A person or machine that can cause an event."""

    id: str
    role: Role
    duties: tuple[Duty, ...] = ()
    provider: str | None = None


LOCAL_ADMIN = Actor("local", Role.ADMIN)
"""The user of this machine: the actor of every command and of every request over loopback."""


@dataclass(frozen=True, slots=True)
class Token:
    """A secret's fingerprint and its holder; the secret itself is shown once and never stored."""

    id: str
    actor: Actor
    sha256: str
    created_ns: int
    revoked_ns: int | None = None


@dataclass(frozen=True, slots=True)
class Operator:
    """Someone who demonstrates: a pseudonym and voluntary aggregate bands."""

    id: str
    bands: tuple[tuple[str, str], ...] = ()
    qualified_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Provider:
    """A company or team that delivers episodes under a contract."""

    id: str
    name: str
    min_acceptance: float
    cost_per_episode: float | None = None
    currency: str = "EUR"
