"""What stands on a sheet, before anybody decides how it looks."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lines:
    """Sentences one under the other; `ordered` ones are done in that order, `prohibited` ones never."""

    lines: tuple[str, ...]
    heading: str = ""
    ordered: bool = False
    prohibited: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """Names with what is so."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block = Lines | Facts | Grid


@dataclass(frozen=True, slots=True)
class Part:
    """One heading and what stands under it."""

    title: str
    blocks: tuple[Block, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A protocol in the words of the person who works by it."""

    title: str
    lead: str
    parts: tuple[Part, ...]
    protocol: str
    locked: bool = False
    interface: str = ""

    @property
    def foot(self) -> str:
        """Write which version this is, so that an old print can be recognised."""
        state = "locked" if self.locked else "not locked yet; the protocol may still change"
        return f"Protocol {self.protocol}, {state}."
