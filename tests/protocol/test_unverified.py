"""Nothing is released from a device whose clock nobody verified."""

import math

import pytest

from fieldloop.loop.protocol.named import example_text
from fieldloop.protocol import SyncVerification, default_protocol, parse_protocol, unverified

DAY = 86_400 * 10**9
NOW = 20_000 * DAY


def protocol(device="", sensor=""):
    return parse_protocol(
        f'[sensors.cam]\nkind = "rgb"\nrequired = true\n{sensor}\n'
        + (f"[synchronisation.cam]\n{device}" if device else "")
    )


@pytest.mark.parametrize(
    ("device", "verified", "says"),
    [
        ("", (), "not declared"),
        ('synchronised_by = "unknown"', (), "not declared"),
        ('synchronised_by = "PTP"', (), "never verified"),
        ('synchronised_by = "none"', (), "never verified"),
        ('synchronised_by = "PTP"', (SyncVerification("cam", NOW, 6.0),), "6 ms"),
        ('synchronised_by = "PTP"\nmax_offset_ms = 2', (SyncVerification("cam", NOW, 2.1),), "at most 2 ms allowed"),
        ('synchronised_by = "PTP"', (SyncVerification("cam", NOW, math.nan),), "nan ms"),
        ('synchronised_by = "PTP"', (SyncVerification("other", NOW, 0.1),), "never verified"),
        (
            'synchronised_by = "PTP"\nverify_every_days = 30',
            (SyncVerification("cam", NOW - 31 * DAY, 0.1),),
            "31 days ago",
        ),
        (
            'synchronised_by = "PTP"',
            (SyncVerification("cam", NOW, 9.0), SyncVerification("cam", NOW - DAY, 0.1)),
            "9 ms",
        ),
    ],
)
def test_a_device_in_doubt_is_named(device, verified, says):
    (found,) = unverified(protocol(device), verified, at_ns=NOW)
    assert found.stream == "cam"
    assert says in found.reason


@pytest.mark.parametrize(
    ("device", "verified"),
    [
        ('synchronised_by = "PTP"', (SyncVerification("cam", NOW, 5.0),)),
        ('synchronised_by = "none"', (SyncVerification("cam", NOW, 1.0),)),
        ('synchronised_by = "PTP"\nverify_every_days = 30', (SyncVerification("cam", NOW - 30 * DAY, 0.1),)),
        ('synchronised_by = "PTP"\nverified = { on = 2024-10-01, offset_ms = 1.5 }', ()),
        ('synchronised_by = "PTP"', (SyncVerification("cam", NOW - DAY, 9.0), SyncVerification("cam", NOW, 0.1))),
    ],
)
def test_a_verified_device_is_not(device, verified):
    assert unverified(protocol(device), verified, at_ns=NOW) == []


def test_a_protocol_that_requires_nothing_leaves_nothing_to_verify():
    assert unverified(default_protocol()) == []


def test_a_whole_protocol_names_each_device_once():
    rules = parse_protocol(example_text("warehouse-picking"))
    assert [u.stream for u in unverified(rules)] == sorted(rules.sensors)
    done = [SyncVerification(name, NOW, 0.2) for name in rules.sensors]
    assert unverified(rules, done, at_ns=NOW) == []
