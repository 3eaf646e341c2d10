"""Islands: parts of a page that a small ES module of the assets draws in the browser."""

import json
from collections.abc import Mapping
from typing import Any

from fieldloop.say.html import Markup, tag
from fieldloop.ui.assets import url


def island(module: str, args: Mapping[str, Any], *, live: int | None = None) -> Markup:
    """Make the element that a module mounts itself on; `live` is the sequence number that it shows, to be pushed news.

    >>> island("budget.js", {"total": 60}).endswith('data-args="{&#34;total&#34;: 60}"></div>')
    True
    """
    return tag("div", data_island=module, data_module=url(module), data_args=json.dumps(dict(args)), data_live=live)
