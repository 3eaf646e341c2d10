"""Success rates in production, and an alarm when one falls below its baseline beyond chance.

`daily` counts outcomes by policy, site and local day, `rolling` adds up a window, `watch` is the drift detector.
"""

from fieldloop.monitor.rates import daily, rate, rolling
from fieldloop.monitor.watch import Baseline, watch

__all__ = ["Baseline", "daily", "rate", "rolling", "watch"]
