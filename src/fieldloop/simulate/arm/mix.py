"""How often each stratum occurs: on the laboratory's bench, and on the floors of the embedded deployment."""

import itertools
import tomllib
from importlib.resources import files

import numpy as np

from fieldloop.model.condition import Exposure, Stratum
from fieldloop.simulate.arm.catalogue import TIERS, Catalogue
from fieldloop.simulate.arm.sites import LAB

LAB_TIERS = {"high": 0.7, "medium": 0.3}
LAB_BINS = {"front": 0.7, "back": 0.3}


def get_deployment_toml() -> str:
    """Return the map of the embedded deployment as TOML, as an engineer would write it."""
    return files(__package__).joinpath("deployment.toml").read_text(encoding="utf-8")


def get_protocol_toml() -> str:
    """Return how picks are collected on the floor: the sensors of its stations, over the shipped protocol."""
    return files(__package__).joinpath("protocol.toml").read_text(encoding="utf-8")


def get_folder_protocol_toml() -> str:
    """Return the floor's protocol for logs in a plain folder, where no calibration can be known."""
    return get_protocol_toml() + files(__package__).joinpath("protocol_of_folder.toml").read_text(encoding="utf-8")


def make_laboratory_mix() -> tuple[Exposure, ...]:
    """Return the mix of a laboratory: its own bench, good light, articles that are picked often.

    >>> round(sum(exposure.share for exposure in make_laboratory_mix()), 9)
    1.0
    """
    return tuple(
        Exposure(Stratum.of(site=LAB, tier=tier, bin=name, lighting="bright"), of_tier * of_bin)
        for (tier, of_tier), (name, of_bin) in itertools.product(LAB_TIERS.items(), LAB_BINS.items())
    )


def make_production_mix(catalogue: Catalogue) -> tuple[Exposure, ...]:
    """Return the mix of the deployed sites: the product of the map's shares, site by site."""
    picks = {tier: sum(article.picks_per_week for article in catalogue.list_articles_of_tier(tier)) for tier in TIERS}
    exposures = []
    for site in tomllib.loads(get_deployment_toml())["site"]:
        for tier, (name, of_bin), (lamp, of_light) in itertools.product(
            TIERS, site["bins"].items(), site["lighting"].items()
        ):
            share = site["share"] * picks[tier] / sum(picks.values()) * of_bin * of_light
            if share > 0.0:
                exposures.append(Exposure(Stratum.of(site=site["id"], tier=tier, bin=name, lighting=lamp), share))
    return tuple(exposures)


def draw_strata(mix: tuple[Exposure, ...], count: int, rng: np.random.Generator) -> list[Stratum]:
    """Draw strata as often as they occur."""
    shares = np.array([exposure.share for exposure in mix])
    return [mix[int(i)].stratum for i in rng.choice(len(mix), count, p=shares / shares.sum())]
