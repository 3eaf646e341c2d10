"""Success rates in production, and an alarm when one falls below its baseline beyond chance.

`count_daily_rates` counts outcomes by policy, site and local day, `sum_rolling_rates` adds up a window,
`watch_production` is the drift detector.
"""

from fieldloop.monitor.rates import count_daily_rates, make_rate, sum_rolling_rates
from fieldloop.monitor.watch import Baseline, explain_cannot_tell, find_standing_alarm, watch_production

__all__ = [
    "Baseline",
    "count_daily_rates",
    "explain_cannot_tell",
    "find_standing_alarm",
    "make_rate",
    "sum_rolling_rates",
    "watch_production",
]
