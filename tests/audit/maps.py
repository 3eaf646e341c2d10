"""A map that leaves nothing open, and attempts made under it."""

from collections.abc import Mapping

import numpy as np

from fieldloop.model.condition import Stratum
from fieldloop.model.policy import Outcome, Stage
from fieldloop.model.stream import NS_PER_DAY

FULL = """\
[deployment]
id = "berlin"
task = "pick"
target_cycle_s = 12
label_standard = "phases v1"
min_agreement = 0.8
synchronisation = "PTP"
max_offset_ms = 5
verified_by = "a light that every camera sees"
[[site]]
id = "north"
share = 1.0
camera_mounts = ["overhead"]
people_bands = { speed = "0.9-1.1 of target" }
people = { hand_size = { "160-180 mm" = 0.4, "180-200 mm" = 0.6 } }
people_count = 50
lighting = { bright = 0.6, dim = 0.4 }
bins = { front = 0.7, back = 0.3, side = 0, occluded = 0, buried = 0, nearly_empty = 0, reoriented = 0 }
bin_sizes_m = { tote = [0.6, 0.4, 0.3] }
shelving = "flow rack"
[[site.zone]]
name = "aisle"
floor = "concrete"
transitions = ["none"]
temperature_c = [15, 28]
humidity_percent = [30, 70]
lux = { day = [300, 800], night = [80, 200] }
light_angle_deg = [20, 70]
dust_mg_m3 = [0, 1]
vibration_m_s2 = [0, 0.2]
noise_db = [60, 75]
ceiling_m = 9
layout = "one aisle"
objects_per_bin = [1, 20]
[[edge_case]]
name = "stuck together"
per_week = 14
failure_rate = 0.2
"""
SKUS = (
    "sku,picks_per_week,mass_kg,length_m,width_m,height_m,packaging,deformable,texture\n"
    "a,10,0.3,0.1,0.1,0.05,box,no,matt\n"
)
START_NS = 1_780_000_000_000_000_000


def outcome(number, day=0, *, stage=Stage.PRODUCTION, facts: Mapping[str, float] | None = None, item="", **levels):
    """One attempt at noon of a day."""
    stratum = Stratum.of({"site": "north", **levels})
    return Outcome(
        f"o{number}", "p", stratum, stage, stratum.level("site"), "arm", START_NS + day * NS_PER_DAY, True, "sensor",
        item=item, facts=tuple((facts or {}).items()),
    )  # fmt: skip


def attempts(rng, shares, *, days, per_day, factor="bin", alike=0.0):
    """Attempts over days whose mix strays around the shares: `alike` is the correlation within a day."""
    names, p = list(shares), np.array(list(shares.values()))
    made = []
    for day in range(days):
        of_day = rng.dirichlet(p * (1 / alike - 1)) if alike else p
        for level in rng.choice(names, per_day, p=of_day):
            made.append(outcome(len(made), day, **{factor: str(level)}))
    return made
