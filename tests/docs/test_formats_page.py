"""The reader shown on the formats page is a reader, and the mapping shown there is a mapping."""

import re
from pathlib import Path

import numpy as np

from fieldloop.ingest.mapping import parse_mapping
from fieldloop.testing.reader import check_reader

PAGE = (Path(__file__).parents[2] / "docs" / "formats.md").read_text()


def test_the_reader_keeps_every_promise(tmp_path):
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    made = {}
    exec(code, made)
    rows = np.zeros(101, made["ROW"])
    rows["at_ns"] = np.arange(101) * 10**7
    log = tmp_path / "arm.ticks"
    log.write_bytes(made["MAGIC"] + len(rows).to_bytes(8, "little") + rows.tobytes())
    (tmp_path / "scratch").mkdir()
    check_reader(made["TicksReader"](), log, tmp_path / "scratch")


def test_the_mapping_can_be_read():
    text = next(block for block in re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL) if "schema" in block)
    assert parse_mapping(text, "docs").find_rule("debug/anything").drop
