"""A page read back: is it whole, and what does it say?"""

from html.parser import HTMLParser

VOID = {"meta", "img", "br", "input", "link", "hr"}


class Reader(HTMLParser):
    """Follows tags as they open and close."""

    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.said = [], [], []

    def handle_starttag(self, tag, _attributes):
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, _attributes):
        """A tag that closes itself leaves nothing open."""

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        if data.strip():
            self.said.append(data.strip())


def read(page):
    reader = Reader()
    reader.feed(page)
    reader.close()
    return reader


def well_formed(page):
    reader = read(page)
    assert not reader.wrong
    assert not reader.open


def texts(page):
    """Every piece of text that a reader sees."""
    return read(page).said
