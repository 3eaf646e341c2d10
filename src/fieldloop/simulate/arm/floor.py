"""The warehouse floor: demonstrations, attempts, marker views. The same seed gives the same bits."""

import hashlib
from collections.abc import Mapping

import numpy as np

from fieldloop.errors import BadInput, UnknownName
from fieldloop.model.condition import Exposure, Stratum
from fieldloop.model.hardware import Robot, Sensor
from fieldloop.model.policy import Policy
from fieldloop.model.stream import StreamKind
from fieldloop.simulate.arm import markers, mix, rollout, scene, sites
from fieldloop.simulate.arm.catalogue import load_shipped_catalogue
from fieldloop.simulate.arm.controller import plan_pick_path
from fieldloop.simulate.arm.markers import MarkerViews
from fieldloop.simulate.arm.operators import OPERATORS, choose_grasp_and_style, get_operator_habit
from fieldloop.simulate.arm.physics import simulate_pick
from fieldloop.simulate.arm.recording import Demonstration, record_attempt
from fieldloop.simulate.arm.rig import Rig
from fieldloop.simulate.arm.rollout import Attempt
from fieldloop.simulate.arm.scene import Scene, Setup
from fieldloop.simulate.arm.sites import Facility

SENSORS = (
    ("camera/overhead", StreamKind.RGB, "hardware trigger"),
    ("camera/wrist", StreamKind.RGB, "hardware trigger"),
    ("depth/overhead", StreamKind.DEPTH, "hardware trigger"),
    ("joints", StreamKind.JOINT_POSITION, "PTP"),
    ("gripper", StreamKind.GRIPPER, "PTP"),
    ("force", StreamKind.FORCE_TORQUE, "PTP"),
    ("imu", StreamKind.IMU, "PTP"),
)


class Floor:
    """Sites as they were really built, one robot each, and everything that can be tried there."""

    def __init__(self, seed: int, rig: Rig | None = None) -> None:
        """Build the sites; another seed builds other mount errors and draws other scenes."""
        self.seed, self.rig, self.catalogue = seed, rig or Rig(), load_shipped_catalogue()
        self.sites: dict[str, Facility] = {
            name: sites.draw_mount_errors(site, self.make_random_generator("site", name))
            for name, site in sites.FACILITIES.items()
        }

    def make_random_generator(self, *purpose: str | int) -> np.random.Generator:
        """Return a generator of its own for a purpose, such as `chance("demonstration", 17)`.

        >>> Floor(1).make_random_generator("a", 2).random() == Floor(1).make_random_generator("a", 2).random()
        True
        """
        digest = hashlib.sha256("\x1f".join(map(str, (self.seed, *purpose))).encode()).digest()
        return np.random.default_rng(int.from_bytes(digest[:16], "little"))

    def get_site(self, name: str) -> Facility:
        """Return a site as built."""
        if name not in self.sites:
            raise UnknownName("site of the simulated floor", name, self.sites)
        return self.sites[name]

    def list_operators(self) -> tuple[str, ...]:
        """Return the pseudonyms of those who can demonstrate here."""
        return tuple(OPERATORS)

    def get_robot(self, site: str) -> Robot:
        """Return the robot of a site with its sensors."""
        name = self.get_site(site).id
        sensors = (
            Sensor(f"{stream.replace('/', '-')}-{name}-1", kind, stream, f"{stream.replace('/', '_')}", by)
            for stream, kind, by in SENSORS
        )
        return Robot(f"arm-{name}-1", "six-joint arm with parallel gripper", name, tuple(sensors))

    def make_lab_mix(self) -> tuple[Exposure, ...]:
        """Return the mix of the laboratory."""
        return mix.make_laboratory_mix()

    def make_production_mix(self) -> tuple[Exposure, ...]:
        """Return the mix of the deployed sites."""
        return mix.make_production_mix(self.catalogue)

    def draw_scene(self, stratum: Stratum, rng: np.random.Generator, setup: Setup | None = None) -> Scene:
        """Draw a scene of a stratum: site, tier, bin and lighting must be given."""
        site = self.get_site(stratum.level("site") or "")
        return scene.draw_scene(stratum, site, self.catalogue, rng, setup or Setup())

    def demonstrate(
        self,
        stratum: Stratum,
        operator_id: str,
        rng: np.random.Generator,
        start_ns: int,
        facts: Mapping[str, str] | None = None,
        setup: Setup | None = None,
    ) -> Demonstration:
        """Let an operator demonstrate one pick; a failed one is kept and labelled.

        `facts` are fields of Episode that the floor does not know: name, session, provider, protocol.
        """
        habit = get_operator_habit(operator_id)
        drawn = self.draw_scene(stratum, rng, setup)
        grasp, style = choose_grasp_and_style(habit, drawn.item, rng)
        verdict = simulate_pick(drawn, plan_pick_path(grasp, style, drawn.site.bin_floor_m))
        return record_attempt(drawn, verdict, self.rig, start_ns, rng, {"operator": operator_id, **(facts or {})})

    def attempt_pick(
        self, policy: Policy, stratum: Stratum, rng: np.random.Generator, at_ns: int, setup: Setup | None = None
    ) -> Attempt:
        """Let a policy try one pick; physics decides the outcome, not a success rate."""
        return rollout.attempt_pick(policy, self.draw_scene(stratum, rng, setup), self.rig, at_ns)

    def record(
        self, attempt: Attempt, rng: np.random.Generator, start_ns: int, facts: Mapping[str, str]
    ) -> Demonstration:
        """Return the recording that a robot's recorder would have kept of an attempt."""
        if attempt.verdict is None:
            raise BadInput(f"The arm never moved in this attempt, so nothing was recorded: {attempt.reason}.")
        return record_attempt(attempt.scene, attempt.verdict, self.rig, start_ns, rng, facts)

    def take_calibration_views(self, site: str, rng: np.random.Generator) -> tuple[MarkerViews, ...]:
        """Look at markers with every camera of a site."""
        return markers.take_views_with_all_cameras(self.get_site(site), self.rig, rng)

    def take_marker_views(self, site: str, rng: np.random.Generator, count: int = 20) -> MarkerViews:
        """Look at markers with the overhead camera of a site."""
        return markers.take_marker_views(self.get_site(site), self.rig, rng, count)
