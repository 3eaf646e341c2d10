"""The shared parts of every page, as small functions that return markup. New pages are put together from these."""

from fieldloop.ui.components.bars import draw_gain_bar, draw_interval_bar, draw_meter, draw_share_bar
from fieldloop.ui.components.buttons import draw_action_button, draw_button, draw_chip, draw_copyable_command
from fieldloop.ui.components.charts import draw_control_chart, draw_signal_plot
from fieldloop.ui.components.clock import draw_incident_clocks
from fieldloop.ui.components.film import draw_film_strip
from fieldloop.ui.components.forms import Field, Submit, draw_form
from fieldloop.ui.components.heatmap import draw_heat_map
from fieldloop.ui.components.island import make_script_element
from fieldloop.ui.components.ladder import draw_rollout_ladder
from fieldloop.ui.components.loopstrip import draw_change_list, draw_loop_strip
from fieldloop.ui.components.panels import (
    draw_answer_card,
    draw_connection_banner,
    draw_empty_state,
    draw_facts,
    draw_folded,
    draw_key_values,
    draw_panel,
)
from fieldloop.ui.components.phases import draw_phase_lane
from fieldloop.ui.components.prose import render_markdown
from fieldloop.ui.components.tables import Column, draw_table

__all__ = [
    "Column",
    "Field",
    "Submit",
    "draw_action_button",
    "draw_answer_card",
    "draw_button",
    "draw_change_list",
    "draw_chip",
    "draw_connection_banner",
    "draw_control_chart",
    "draw_copyable_command",
    "draw_empty_state",
    "draw_facts",
    "draw_film_strip",
    "draw_folded",
    "draw_form",
    "draw_gain_bar",
    "draw_heat_map",
    "draw_incident_clocks",
    "draw_interval_bar",
    "draw_key_values",
    "draw_loop_strip",
    "draw_meter",
    "draw_panel",
    "draw_phase_lane",
    "draw_rollout_ladder",
    "draw_share_bar",
    "draw_signal_plot",
    "draw_table",
    "make_script_element",
    "render_markdown",
]
