"""How to run: gate, guard, alarms, rollout, plan weights, incident clocks."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from fieldloop.errors import ProtocolError, UnknownName
from fieldloop.protocol import layers
from fieldloop.protocol.number import (
    OWN_SETTING_KEYS,
    Setting,
    Value,
    read_setting,
    refuse_other_value_type,
    refuse_unknown_keys,
)

RETIRED = frozenset(
    (
        *(
            f"diagnose.{name}"
            for name in (
                "alpha_with_fault", "beside_errors", "bootstrap_draws", "change_draws", "covered_handicap",
                "false_discovery_rate", "full_label_frames", "least_mix_loss", "level_when_real", "null_draws",
                "number_handicap",
                "pair_handicap", "rival_likeness", "rival_log_odds", "since_share", "slow_quantile", "uncovered_bonus",
                "untried_spread",
            )
        ),
        "plan.score_attempts",
        *(
            f"train.{name}"
            for name in (
                "choice_ridge", "draws_per_demonstration", "ensemble", "folds", "hidden_units", "max_epochs",
                "saliency_thresholds", "weight_decay",
            )
        ),
    )
)  # fmt: skip
"""Settings of earlier versions that nothing reads any more: a file may still have them."""


@dataclass(frozen=True, slots=True)
class Section:
    """The settings of one room, and the fingerprint a decision carries."""

    name: str
    settings: Mapping[str, Setting]
    fingerprint: str

    def __getitem__(self, name: str) -> Any:
        """Return the bare value."""
        if name not in self.settings:
            raise UnknownName(f"setting of {self.name}", name, self.settings)
        return self.settings[name].value

    def number(self, name: str) -> float:
        """Return a value that must be a number."""
        return float(self[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self.settings)

    def replace_values(self, **values: Value) -> "Section":
        """Return the same section with other values, for what-if questions and tests."""
        settings = dict(self.settings)
        for name, value in values.items():
            old = settings.get(name)
            if old is None:
                raise UnknownName(f"setting of {self.name}", name, settings)
            settings[name] = replace(old, value=value)
        return _read_section(self.name, settings)


@dataclass(frozen=True, slots=True)
class Operations:
    """All sections of a workspace's operations file over the shipped ones."""

    sections: Mapping[str, Section]
    fingerprint: str
    retired: tuple[str, ...] = ()
    """Settings in the file that nothing reads any more; they are ignored."""

    def __getitem__(self, name: str) -> Section:
        if name not in self.sections:
            raise UnknownName("section of operations", name, self.sections)
        return self.sections[name]


def parse_operations(text: str, where: str = "operations.toml") -> Operations:
    """Lay a workspace's operations over the shipped ones; unknown names and other units are refused.

    Settings that were retired are ignored, and listed.
    """
    base, over = (
        layers.parse_toml(layers.read_shipped_file("operations.toml"), "the shipped operations"),
        layers.parse_toml(text, where),
    )
    over, retired = _split_off_retired_settings(over)
    for section, rows in over.items():
        if section not in base:
            raise ProtocolError(f"{where}: {UnknownName('section', section, base)}")
        if not isinstance(rows, Mapping):
            raise ProtocolError(
                f"{where}: [{section}] must hold tables such as [{section}.{next(iter(base[section]))}]."
            )
        for name, row in rows.items():
            if name not in base[section]:
                raise ProtocolError(f"{where}: {UnknownName(f'setting of {section}', name, base[section])}")
            if isinstance(row, Mapping):
                refuse_unknown_keys(f"{where}: {section}.{name}", row, OWN_SETTING_KEYS)
    merged = layers.overlay_tables(base, over, where)
    sections = {
        name: _read_section(name, {key: read_setting(f"{where}: {name}.{key}", row) for key, row in rows.items()})
        for name, rows in merged.items()
    }
    for name, rows in over.items():
        for key in rows:
            refuse_other_value_type(f"{where}: {name}.{key}", base[name][key]["value"], merged[name][key]["value"])
    return Operations(sections, layers.compute_fingerprint({n: s.fingerprint for n, s in sections.items()}), retired)


def _split_off_retired_settings(over: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Split the settings of earlier versions from those of this one."""
    found = [
        (section, name)
        for section, rows in over.items()
        if isinstance(rows, Mapping)
        for name in rows
        if f"{section}.{name}" in RETIRED
    ]
    kept = {
        section: {name: row for name, row in rows.items() if (section, name) not in found}
        if isinstance(rows, Mapping)
        else rows
        for section, rows in over.items()
    }
    return kept, tuple(f"{section}.{name}" for section, name in found)


@cache
def default_operations() -> Operations:
    """Return the shipped operations."""
    return parse_operations("")


def _read_section(name: str, settings: Mapping[str, Setting]) -> Section:
    counted = {key: [s.value, s.unit] for key, s in settings.items() if not s.is_as_before}
    return Section(name, settings, layers.compute_fingerprint(counted))
