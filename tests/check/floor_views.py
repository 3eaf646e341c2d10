"""Views of the simulated floor's overhead camera: other light, objects and operators each time, and a mount to move."""

import functools
from dataclasses import replace

import numpy as np

from fieldloop.check.batch.view_jumps import View
from fieldloop.geometry.still_view import compute_median_view
from fieldloop.model.condition import Stratum
from fieldloop.simulate.arm.floor import Floor
from fieldloop.simulate.arm.lighting import LIGHTS
from fieldloop.simulate.arm.scene import Setup

FRAMES = 8


@functools.cache
def floor_view(site, episode, shift_m=(0, 0, 0), turn_deg=(0, 0, 0)):
    """Return what the camera over a site sees in an episode, its mount moved from where it was built."""
    pictures = floor_recording(site, episode, shift_m, turn_deg).streams["camera/overhead"].pictures
    frames = pictures.frames(np.linspace(0, len(pictures) - 1, FRAMES).astype(int))
    return View(f"{site} {episode}", episode, compute_median_view(frames))


def floor_recording(site, episode, shift_m=(0, 0, 0), turn_deg=(0, 0, 0)):
    """Record an episode at a site, the overhead camera's mount moved from where it was built."""
    rng, floor = np.random.default_rng([17, episode]), Floor(seed=3)
    built = floor.get_site(site)
    floor.sites[site] = replace(
        built,
        mount_shift_m=tuple(np.add(built.mount_shift_m, shift_m)),
        mount_turn_deg=tuple(np.add(built.mount_turn_deg, turn_deg)),
    )
    levels = {"tier": rng.choice(["high", "medium"]), "bin": rng.choice(["front", "back", "side"])}
    stratum = Stratum.of(site=site, lighting=str(rng.choice(list(LIGHTS))), **{k: str(v) for k, v in levels.items()})
    setup = Setup(distractors=int(rng.integers(4)))
    return floor.demonstrate(stratum, str(rng.choice(floor.list_operators())), rng, 0, setup=setup).recording
