"""Success rates in production, and an alarm when one falls below its baseline beyond chance.

`daily` counts outcomes by policy, site and local day, `rolling` adds up a window, `watch` is the drift detector.
"""

from fieldloop.monitor.rates import count_daily_rates, make_rate, sum_rolling_rates
from fieldloop.monitor.watch import Baseline, cannot_tell, standing_alarm, watch_production

__all__ = [
    "Baseline",
    "cannot_tell",
    "count_daily_rates",
    "make_rate",
    "standing_alarm",
    "sum_rolling_rates",
    "watch_production",
]
