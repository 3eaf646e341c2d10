"""Processors of the policy type `fieldloop`: batches and devices only, because the server normalises."""

from typing import Any

from lerobot.processor import make_default_pre_post_processors

from lerobot_policy_fieldloop.configuration_fieldloop import FieldloopConfig


def make_fieldloop_pre_post_processors(config: FieldloopConfig, dataset_stats: Any = None) -> Any:
    """Return LeRobot's own processors; every normalisation is the identity."""
    return make_default_pre_post_processors(config, dataset_stats)
