"""The map shown on the page is one, answers all five questions, and every key that a map may hold is shown."""

import re
from pathlib import Path

from fieldloop.audit import parse_deployment_map, score_questions
from fieldloop.audit.catalogue import COLUMNS
from fieldloop.audit.map_file import EDGE_KEYS, HEAD_KEYS
from fieldloop.audit.site_file import SITE_KEYS, ZONE_KEYS
from fieldloop.cli.choose import choose_command
from fieldloop.protocol import default_operations

PAGE = (Path(__file__).parents[2] / "docs" / "map.md").read_text()
SETTINGS = default_operations()["audit"]
(MAP,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
SKUS = "sku,picks_per_week,mass_kg,length_m,width_m,height_m,packaging,deformable,texture\na,9,1,1,1,1,box,no,matt\n"


def test_the_map_shown_leaves_nothing_open():
    audit = score_questions(parse_deployment_map(MAP, SKUS, SETTINGS), SETTINGS)
    assert audit.score == 1.0, [a.missing for a in audit.answers]


def test_every_key_is_shown():
    for key in (*HEAD_KEYS, *SITE_KEYS, *ZONE_KEYS, *EDGE_KEYS):
        assert re.search(rf"^\[*(site\.)?{key}\b", MAP, re.MULTILINE), key
    for column in COLUMNS:
        assert f"`{column}`" in PAGE


def test_the_commands_shown_are_commands():
    for line in re.findall(r"^    (fieldloop .*)$", PAGE, re.MULTILINE):
        assert choose_command(line.split()[1:]).command.startswith("audit")


def test_settings_that_are_named_exist():
    for name in re.findall(r"`audit\.(\w+)`", PAGE):
        assert name in SETTINGS
