"""An episode's span: one clock, never two that count from different beginnings."""

import numpy as np

from fieldloop.ingest import open_log
from fieldloop.ingest.span import find_time_span
from fieldloop.model.stream import ClockKind, Stream, StreamKind

DAY = 1_700_000_000_000_000_000


def stream(**clocks):
    stamps = {ClockKind(kind): np.asarray(times, np.int64) for kind, times in clocks.items()}
    return Stream("s", StreamKind.OTHER, "", stamps)


def test_real_stamps_beside_stamps_from_zero_tell_the_span_alone():
    assert find_time_span([stream(header=[DAY, DAY + 5]), stream(container=[0, 9])]) == (DAY, DAY + 5)
    assert find_time_span([stream(log=[DAY, DAY + 5]), stream(synthetic=[0, 9]), stream(synthetic=[0, 9])]) == (
        DAY,
        DAY + 5,
    )


def test_the_clock_that_most_streams_share_tells_it():
    both = stream(header=[DAY + 1, DAY + 2], log=[DAY + 3, DAY + 4])
    assert find_time_span([both]) == (DAY + 1, DAY + 2)
    assert find_time_span([both, stream(log=[DAY, DAY + 9])]) == (DAY, DAY + 9)
    assert find_time_span([stream(synthetic=[0, 4], container=[1, 5]), stream(synthetic=[0, 6])]) == (0, 6)


def test_stamps_since_a_device_was_switched_on_are_not_mixed_with_those_of_the_day():
    assert find_time_span(
        [stream(header=[5, 6], log=[DAY, DAY + 1]), stream(header=[DAY, DAY + 2], log=[DAY, DAY + 3])]
    ) == (
        DAY,
        DAY + 3,
    )
    assert find_time_span([stream(header=[5, 6], log=[DAY, DAY + 1])]) == (DAY, DAY + 1)
    assert find_time_span([stream(header=[5, 6])]) == (5, 6)


def test_one_clock_that_was_set_wrong_does_not_stretch_the_episode():
    hour, second = 3_600_000_000_000, 1_000_000_000
    good = stream(header=[DAY, DAY + 9 * second], log=[DAY + 5, DAY + 9 * second + 5])
    for away in (-hour, hour):
        wrong = stream(header=[DAY + away, DAY + away + second], log=[DAY + 6, DAY + second])
        assert find_time_span([good, wrong, good]) == (DAY + 5, DAY + 9 * second + 5)
    played = stream(header=[DAY - hour, DAY - hour + 9 * second], log=[DAY, DAY + 9 * second])
    assert find_time_span([played, played]) == (
        DAY,
        DAY + 9 * second,
    )  # a log that was recorded while another was played


def test_without_a_stamp_it_is_nothing():
    assert find_time_span([]) == find_time_span([stream(header=[])]) == (0, 0)


def test_a_bag_lasts_as_long_as_the_clock_that_all_its_streams_share(shared):
    (recording,) = open_log(shared("ros1-bags") / "rosbagjs" / "example.bag").recordings
    streams = [stream for stream in recording.streams.values() if len(stream)]
    episode = recording.episode
    assert episode.start_ns == min(int(stream.clocks[ClockKind.LOG].min()) for stream in streams)
    assert episode.end_ns == max(int(stream.clocks[ClockKind.LOG].max()) for stream in streams)
    assert any(ClockKind.HEADER in stream.clocks for stream in streams)  # which alone would begin before
