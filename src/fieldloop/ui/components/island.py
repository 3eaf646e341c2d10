"""Islands: parts of a page that a small ES module of the assets draws in the browser."""

import json
from collections.abc import Mapping
from typing import Any

from fieldloop.say.html import Markup, tag
from fieldloop.ui.assets import get_asset_url


def make_script_element(module: str, args: Mapping[str, Any], *, shown_seq: int | None = None) -> Markup:
    """Make the element that a module mounts itself on; `shown_seq` is the sequence number of the state that it shows.

    >>> make_script_element("budget.js", {"total": 60}).endswith('data-args="{&#34;total&#34;: 60}"></div>')
    True
    """
    return tag(
        "div",
        data_island=module,
        data_module=get_asset_url(module),
        data_args=json.dumps(dict(args)),
        data_live=shown_seq,
    )
