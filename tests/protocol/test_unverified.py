"""Nothing is released from a device whose clock nobody verified."""

import math

import pytest

from fieldloop.loop.protocol.named import read_example_protocol
from fieldloop.protocol import SyncVerification, default_protocol, list_unverified_devices, parse_protocol
from fieldloop.say import write_sentence

DAY = 86_400 * 10**9
NOW = 20_000 * DAY


def protocol(device="", sensor=""):
    return parse_protocol(
        f'[sensors.cam]\nkind = "rgb"\nrequired = true\n{sensor}\n'
        + (f"[synchronisation.cam]\n{device}" if device else "")
    )


@pytest.mark.parametrize(
    ("device", "verified", "code", "numbers"),
    [
        ("", (), "not_declared", {}),
        ('synchronised_by = "unknown"', (), "not_declared", {}),
        ('synchronised_by = "PTP"', (), "never_verified", {"declared_as": "PTP"}),
        ('synchronised_by = "none"', (), "never_verified", {"declared_as": "none"}),
        ('synchronised_by = "PTP"', (SyncVerification("cam", NOW, 6.0),), "too_far_off", {"offset_ms": 6.0}),
        (
            'synchronised_by = "PTP"\nmax_offset_ms = 2',
            (SyncVerification("cam", NOW, 2.1),),
            "too_far_off",
            {"offset_ms": 2.1, "limit_ms": 2.0},
        ),
        ('synchronised_by = "PTP"', (SyncVerification("cam", NOW, math.nan),), "offset_not_known", {}),
        ('synchronised_by = "PTP"', (SyncVerification("other", NOW, 0.1),), "never_verified", {}),
        (
            'synchronised_by = "PTP"\nverify_every_days = 30',
            (SyncVerification("cam", NOW - 31 * DAY, 0.1),),
            "verified_too_long_ago",
            {"age_days": 31.0, "every_days": 30.0},
        ),
        (
            'synchronised_by = "PTP"',
            (SyncVerification("cam", NOW, 9.0), SyncVerification("cam", NOW - DAY, 0.1)),
            "too_far_off",
            {"offset_ms": 9.0},
        ),
    ],
)
def test_a_device_in_doubt_is_named(device, verified, code, numbers):
    (found,) = list_unverified_devices(protocol(device), verified, at_ns=NOW)
    assert found.stream == "cam"
    assert found.reason.code == f"protocol.clock_{code}"
    assert numbers.items() <= dict(found.reason.numbers).items()
    assert write_sentence(found.reason).endswith(".")


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
    assert list_unverified_devices(protocol(device), verified, at_ns=NOW) == []


def test_a_protocol_that_requires_nothing_leaves_nothing_to_verify():
    assert list_unverified_devices(default_protocol()) == []


def test_a_whole_protocol_names_each_device_once():
    rules = parse_protocol(read_example_protocol("warehouse-picking"))
    assert [u.stream for u in list_unverified_devices(rules)] == sorted(rules.sensors)
    done = [SyncVerification(name, NOW, 0.2) for name in rules.sensors]
    assert list_unverified_devices(rules, done, at_ns=NOW) == []
