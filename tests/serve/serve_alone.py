"""Run in a process of its own: serve a policy that answers its number, on the port given."""

import sys

from tests.serve.running import SETTINGS, Numbered

from fieldloop.serve.server import make_app, make_roster, run_server

if __name__ == "__main__":
    run_server(make_app(make_roster(Numbered(1), SETTINGS), SETTINGS), "127.0.0.1", int(sys.argv[1]), SETTINGS)
