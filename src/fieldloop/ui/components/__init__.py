"""The shared parts of every page, as small functions that return markup. New pages are put together from these."""

from fieldloop.ui.components.bars import gain_bar, interval_bar, meter, share_bar
from fieldloop.ui.components.buttons import action_button, button, chip, copyable_command
from fieldloop.ui.components.charts import control_chart, signal_plot
from fieldloop.ui.components.clock import incident_clocks
from fieldloop.ui.components.film import film_strip
from fieldloop.ui.components.forms import Field, Submit, form
from fieldloop.ui.components.heatmap import heat_map
from fieldloop.ui.components.island import script_island
from fieldloop.ui.components.ladder import rollout_ladder
from fieldloop.ui.components.loopstrip import change_list, loop_strip
from fieldloop.ui.components.panels import answer_card, connection_banner, empty_state, facts, folded, key_value, panel
from fieldloop.ui.components.phases import phase_lane
from fieldloop.ui.components.prose import render_markdown
from fieldloop.ui.components.tables import Column, dense_table

__all__ = [
    "Column",
    "Field",
    "Submit",
    "action_button",
    "answer_card",
    "button",
    "change_list",
    "chip",
    "connection_banner",
    "control_chart",
    "copyable_command",
    "dense_table",
    "empty_state",
    "facts",
    "film_strip",
    "folded",
    "form",
    "gain_bar",
    "heat_map",
    "incident_clocks",
    "interval_bar",
    "key_value",
    "loop_strip",
    "meter",
    "panel",
    "phase_lane",
    "render_markdown",
    "rollout_ladder",
    "script_island",
    "share_bar",
    "signal_plot",
]
