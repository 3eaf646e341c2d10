"""The numbers that the search for a lag goes by, as the protocol gives them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    search_s: float = 0.25
    step_s: float = 0.01
    joints_hz: float = 10.0
    rows_hz: float = 4.5
    finest_period_s: float = 0.03
    longest_spans: float = 2.5
    fewest_rows: int = 60
    block_s: float = 2.0
    apart_s: float = 0.03
    readout_sd_s: float = 0.01
