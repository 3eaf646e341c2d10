"""The versions that one server holds: one is in force, others can be named, a robot keeps one for an episode.

A change of version closes no socket and drops no request: a seat keeps its version until its episode ends.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fieldloop.errors import Refused, UnknownName
from fieldloop.model.decision import Latency
from fieldloop.model.identity import Clock
from fieldloop.model.stream import NS_PER_S
from fieldloop.protocol import Section
from fieldloop.serve.desk import Desk
from fieldloop.serve.engine import Engine, RememberingEngine
from fieldloop.serve.message import Header
from fieldloop.serve.refusals import Claimed, Suspended

Route = Callable[[str], str | None]
"""Robot → the id of its version; None: the version in force."""

NOT_RECORDED = "its loading could not be recorded"


@dataclass(eq=False, slots=True)
class Version:
    """One loaded version: its desk, what was measured at admission, and the seats that stay with it."""

    desk: Desk
    latency: Latency | None = None
    limit_ms: float | None = None
    suspended: str = ""
    seats: "set[Seat]" = field(default_factory=set)

    @property
    def id(self) -> str:
        """The id of its policy."""
        return self.desk.engine.bundle.policy

    @property
    def name(self) -> str:
        """Its name, for paths."""
        return self.desk.engine.bundle.name or self.id

    def describe(self) -> dict[str, Any]:
        """Return the metadata that a client gets on connecting; the latency measured at admission and its limit too."""
        described = dict(self.desk.engine.bundle.metadata)
        if self.latency is not None:
            described["latency"] = {
                "calls": self.latency.calls,
                "p50_ms": self.latency.p50_ms,
                "p99_ms": self.latency.p99_ms,
                "limit_ms": self.limit_ms,
            }
        return described


class Roster:
    """All versions of one server. Used from its event loop only."""

    def __init__(self, settings: Section, clock: Clock) -> None:
        """Take the section `serve` of the operations; the first version added is in force."""
        self.settings, self.clock = settings, clock
        self.versions: dict[str, Version] = {}
        self.route: Route | None = None
        self._past: list[str] = []
        self._in_force = ""
        self._claims: dict[str, Seat] = {}
        self.turn = 0

    @property
    def in_force(self) -> Version:
        """The version that new episodes get."""
        if not self._in_force:
            raise Refused("This server holds no version yet.")
        return self.versions[self._in_force]

    def add(self, engine: Engine, latency: Latency | None = None, limit_ms: float | None = None) -> Version:
        """Add a version; one that is there already stays as it is, and is no longer suspended."""
        id_ = engine.bundle.policy
        if id_ not in self.versions:
            self.versions[id_] = Version(Desk(engine, self.settings, self.clock), latency, limit_ms)
        self.versions[id_].suspended = ""
        self._in_force = self._in_force or id_
        return self.versions[id_]

    def find(self, name: str) -> Version:
        """Find a version by name (the last one added of that name), id or a unique beginning of it."""
        named = [v for v in self.versions.values() if v.name == name]
        begun = [v for v in self.versions.values() if name and v.id.startswith(name)]
        if not named and len(begun) != 1:
            known = [v.name for v in self.versions.values()]
            raise UnknownName("version on this server", name, known, ", ".join(known))
        return named[-1] if named else begun[0]

    def activate(self, name: str, *, override: str = "") -> Version:
        """Put a version in force for new episodes; one that robots would have to address differently needs a reason."""
        chosen, now = self.find(name), self.in_force
        if chosen.suspended:
            raise Refused(f"{chosen.name} is suspended: {chosen.suspended}. Load it again first.")
        if chosen is not now:
            differs = _list_differences(now, chosen)
            if differs and not override.strip():
                raise Refused(
                    f"{chosen.name} differs from {now.name} in {', '.join(differs)}, so robots that run now cannot "
                    "use it. To activate it nevertheless, give a reason as override."
                )
            self._past.append(now.id)
            self._in_force = chosen.id
        return chosen

    def roll_back(self, *, at_once: str = "") -> Version:
        """Put the version before in force again.

        Episodes that run now end with their version. With a reason for `at_once` they change now, and the version
        that is left acts no more, under its own path either.
        """
        left = self.in_force
        before = next((id_ for id_ in reversed(self._past) if self._can_return(id_)), None)
        if before is None:
            raise Refused(f"No version was in force before {left.name} on this server. Load one first.")
        while self._past.pop() != before:
            pass
        self._in_force = before
        if at_once.strip():
            left.suspended = at_once.strip()
            self.turn += 1
        return self.in_force

    def remove(self, name: str) -> Version:
        """Remove a version that no robot uses; the one in force is refused. Its desk is left to who removes it."""
        removed = self.find(name)
        if removed.id == self._in_force:
            raise Refused(f"{removed.name} is in force. Activate another version first.")
        for seat in [seat for seat in removed.seats if seat.is_idle]:
            seat.close()
        if removed.seats:
            raise Refused(f"{removed.name} still has {len(removed.seats)} robots. Wait for their episodes to end.")
        del self.versions[removed.id]
        return removed

    def list_suspended(self) -> dict[str, str]:
        """Return the versions that act no more, by id, with the reason."""
        return {id_: version.suspended for id_, version in self.versions.items() if version.suspended}

    def keep_state(self) -> Callable[[], None]:
        """Return what undoes the changes made after now; a version added meanwhile stays suspended if robots use it."""
        versions, past, in_force, turn = dict(self.versions), list(self._past), self._in_force, self.turn
        suspended = {id_: version.suspended for id_, version in versions.items()}

        def undo() -> None:
            for id_, version in self.versions.items():
                version.suspended = suspended.get(id_, NOT_RECORDED)
                if id_ not in versions and version.seats:
                    versions[id_] = version
                elif id_ not in versions:
                    version.desk.close()
            self.versions, self._past, self._in_force, self.turn = versions, past, in_force, turn

        return undo

    def choose(self, robot: str) -> Version:
        """Return the version for a new episode of a robot."""
        routed = self.versions.get(self.route(robot) or "") if self.route else None
        return self.in_force if routed is None or routed.suspended else routed

    def claim(self, episode: str, seat: "Seat", robot: str) -> None:
        """Give an episode to a seat; another connection that runs it keeps it, unless it is the same robot's."""
        holder = self._claims.get(episode)
        if holder is not None and holder is not seat and holder.is_idle:
            holder.close()
            holder = None
        if holder is not None and holder is not seat and not (robot and holder.robot == robot):
            raise Claimed(f"Episode {episode!r} is run by {holder.robot or holder.label}; two clients cannot share it.")
        if holder is not None and holder is not seat:
            holder.lose_episode()
        self._claims[episode] = seat

    def release(self, episode: str, seat: "Seat") -> None:
        """End a seat's claim."""
        if self._claims.get(episode) is seat:
            del self._claims[episode]

    def close(self) -> None:
        """Stop all desks."""
        for version in self.versions.values():
            version.desk.close()

    def _can_return(self, id_: str) -> bool:
        return id_ in self.versions and not self.versions[id_].suspended and id_ != self._in_force


class Seat:
    """One connection's place: the version it stays with, and the episode it runs."""

    def __init__(self, roster: Roster, label: str, name: str = "", idle_s: float | None = None) -> None:
        """Take a name for messages, and the version that its path names; '' follows the version in force.

        A seat without a connection yields to others after `idle_s` without a request; None: its connection ends it.
        """
        self.label, self.robot = label, ""
        self._idle_s, self._used_ns = idle_s, roster.clock()
        self._roster, self._fixed = roster, roster.find(name) if name else None
        self._version: Version | None = None
        self._episode, self._turn, self._lost, self._begun = "", roster.turn, False, False

    @property
    def version(self) -> Version:
        """The version this seat stays with; chosen now if it had none."""
        if self._version is None:
            self._sit(self._fixed or self._roster.choose(self.robot or self.label))
        return self._version or self._roster.in_force

    def take(self, header: Header) -> tuple[Version, bool]:
        """Return the version that answers a request, and whether the request begins an episode with it."""
        self._used_ns = self._roster.clock()
        if header.robot and header.robot != self.robot:
            self._forget_name()
            self.robot = header.robot
        begins = not self._begun or header.resets or header.episode not in ("", self._episode)
        if begins:
            self._begin_episode(header.episode)
        elif self._lost:
            raise Claimed(f"Episode {self._episode!r} was taken over by another connection of {self.robot}.")
        elif self._turn != self._roster.turn and self._fixed is None and self.version.suspended:
            self._sit(self._roster.choose(self.robot or self.label))
            begins = True  # for the version that takes over
        if self.version.suspended:
            raise Suspended(f"{self.version.name} was rolled back: {self.version.suspended}. Hold the robot.")
        self._refuse_shared_memory()
        self._begun = True
        return self.version, begins

    def lose_episode(self) -> None:
        """Note that the robot runs its episode over another connection now."""
        self._lost = True

    def close(self) -> None:
        """Leave: the episode is free, and the version is no longer used from here."""
        self._roster.release(self._episode, self)
        if self._version is not None:
            self._version.seats.discard(self)
            if not self._shares_name(self._version):
                self._version.desk.forget_robot(self.robot or self.label)
        self._version, self._episode, self._begun = None, "", False

    def _begin_episode(self, episode: str) -> None:
        if episode:
            self._roster.claim(episode, self, self.robot)
        if self._episode != episode:
            self._roster.release(self._episode, self)
        self._episode, self._lost = episode, False
        first_of_greeted = not self._begun and self._version is not None and not self._version.suspended
        if not first_of_greeted or self._roster.route is not None:
            self._sit(self._fixed or self._roster.choose(self.robot or self.label))

    def _sit(self, version: Version) -> None:
        if self._version is not None and self._version is not version:
            self._forget_name()
            self._version.seats.discard(self)
        self._version, self._turn = version, self._roster.turn
        version.seats.add(self)

    def _forget_name(self) -> None:
        """Let the desk forget the name under which this seat asked so far; what waits there is still answered."""
        if self._version is not None and not self._shares_name(self._version):
            self._version.desk.forget_timing(self.robot or self.label)

    def _shares_name(self, version: Version) -> bool:
        return any(seat.robot == self.robot for seat in version.seats if self.robot and seat is not self)

    def _refuse_shared_memory(self) -> None:
        """A policy that remembers an episode can run only one at a time; a robot's own older connection yields."""
        if isinstance(self.version.desk.engine, RememberingEngine):
            for idle in [s for s in self.version.seats if s is not self and s.is_idle]:
                idle.close()
            others = [s for s in self.version.seats if s is not self and s.is_running]
            for lost in [s for s in others if self.robot and s.robot == self.robot]:
                lost.lose_episode()  # the same robot, which lost its connection
                others.remove(lost)
            if others:
                raise Claimed(
                    f"{self.version.name} remembers its episode, and {others[0].robot or others[0].label} runs one. "
                    "Wait until it closes its connection, or serve the version a second time on another port."
                )

    @property
    def is_running(self) -> bool:
        """Does this seat run an episode with its version, which no other connection of its robot took over?"""
        return self._begun and self._version is not None and not self._lost

    @property
    def is_idle(self) -> bool:
        """Has a seat without a connection asked nothing for so long that it yields to others?"""
        waited_ns = self._roster.clock() - self._used_ns
        return self._idle_s is not None and waited_ns > self._idle_s * NS_PER_S


def _list_differences(now: Version, chosen: Version) -> list[str]:
    """List what a robot would have to do differently under another version."""
    ours, theirs = now.desk.engine.bundle, chosen.desk.engine.bundle
    same: Mapping[str, tuple[Any, Any]] = {
        "inputs": (set(ours.inputs), set(theirs.inputs)),
        "action names": (ours.action_names, theirs.action_names),
        "control rate": (ours.control_hz, theirs.control_hz),
        "horizon": (ours.horizon, theirs.horizon),
        "prompt": (ours.takes_prompt, theirs.takes_prompt),
    }
    return [name for name, (a, b) in same.items() if a != b]
