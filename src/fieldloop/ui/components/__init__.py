"""The shared parts of every page, as small functions that return markup. New pages are put together from these."""

from fieldloop.ui.components.bars import gain_bar, interval_bar, meter, share_bar
from fieldloop.ui.components.buttons import action, button, chip, command
from fieldloop.ui.components.charts import control_chart, signal_plot
from fieldloop.ui.components.clock import clocks
from fieldloop.ui.components.film import film_strip
from fieldloop.ui.components.forms import Field, form
from fieldloop.ui.components.heatmap import heat_map
from fieldloop.ui.components.island import island
from fieldloop.ui.components.ladder import ladder
from fieldloop.ui.components.loopstrip import change_list, loop_strip
from fieldloop.ui.components.panels import connection_banner, empty_state, facts, folded, key_value, next_card, panel
from fieldloop.ui.components.phases import phase_lane
from fieldloop.ui.components.prose import prose
from fieldloop.ui.components.tables import Column, dense_table

__all__ = [
    "Column",
    "Field",
    "action",
    "button",
    "change_list",
    "chip",
    "clocks",
    "command",
    "connection_banner",
    "control_chart",
    "dense_table",
    "empty_state",
    "facts",
    "film_strip",
    "folded",
    "form",
    "gain_bar",
    "heat_map",
    "interval_bar",
    "island",
    "key_value",
    "ladder",
    "loop_strip",
    "meter",
    "next_card",
    "panel",
    "phase_lane",
    "prose",
    "share_bar",
    "signal_plot",
]
