"""The stream lab: its chunks, its two readers, the cut, and the two timelines."""

from __future__ import annotations

import pytest

from labkit.course.streams import REPLIES
from labkit.models.server.streams import QUIRKS
from labkit.widgets import StreamLab


def set_to(lab: StreamLab, **knobs: object) -> StreamLab:
    for name, value in knobs.items():
        lab.controls[name].value = value
    assert lab.failure is None
    return lab


def test_it_begins_in_the_middle_of_a_stream_that_two_readers_read_differently() -> None:
    lab = StreamLab()
    assert repr(lab) == "StreamLab(two_look_ups, index_zero, chunk 6 of 9)"
    assert "call_1call_2  get_stockget_price" in lab.text()
    assert "call_2  get_price  open" in lab.text()


def test_slider_player_and_buttons_go_together() -> None:
    lab = set_to(StreamLab(), position=3)
    assert lab.controls["play"].value == 3
    lab.controls["forward"].click()
    assert (lab.controls["position"].value, lab.controls["play"].value) == (4, 4)
    lab.controls["play"].value = 8
    assert lab.controls["position"].value == 8
    lab.controls["back"].click()
    assert "chunk 7 of 9" in lab.text()
    lab.run()
    lab.controls["forward"].click()
    assert lab.controls["position"].value == 9


def test_a_shorter_stream_takes_the_position_along() -> None:
    lab = set_to(StreamLab(), quirk="empty_choices")
    lab.run()
    assert lab.controls["position"].value == len(lab.stream.chunks) == 19
    set_to(lab, quirk="one_chunk")
    assert (lab.controls["position"].value, lab.controls["position"].max, lab.controls["play"].max) == (4, 4, 4)


def test_a_cut_stream_discards_what_had_started_and_runs_nothing() -> None:
    lab = set_to(StreamLab(), reply="look_order_look", quirk="none", position=11, cut=True)
    assert repr(lab) == "StreamLab(look_order_look, none, chunk 11 of 16, cut here)"
    assert "the stream ends here" in lab.text()
    discarded = "started early, and discarded: call_1 get_stock, call_2 get_price"
    assert lab.text().endswith(f"nothing of this reply is run\n{discarded}")
    set_to(lab, early=False)
    assert lab.text().endswith("no call has started")


def test_a_cut_after_the_finish_reason_changes_nothing() -> None:
    lab = set_to(StreamLab(), reply="look_order_look", quirk="none", position=15, cut=True)
    assert "gained 400 ms" in lab.text()


def test_both_timelines_stand_above_each_other_and_only_one_where_early_dispatch_is_off() -> None:
    lab = set_to(StreamLab(), reply="look_order_look")
    said = lab.text()
    assert said.index("early dispatch off") < said.index("early dispatch on")
    assert said.endswith("early: call_1, call_2 · gained 400 ms")
    set_to(lab, early=False)
    assert "early dispatch on" not in lab.text()
    assert "no call starts before the reply is whole" in lab.text()


def test_where_nothing_is_gained_it_says_so() -> None:
    assert set_to(StreamLab(), reply="order_first").text().endswith("no call may start early: nothing is gained")


def test_start_over_goes_back_to_the_first_picture() -> None:
    lab = StreamLab()
    first = lab.text()
    set_to(lab, reply="words_and_look_ups", quirk="reasoning", position=2, cut=True, early=False)
    lab.controls["reset"].click()
    assert lab.text() == first


@pytest.mark.parametrize("reply", REPLIES)
def test_every_stream_can_be_looked_at_from_end_to_end(reply: str) -> None:
    lab = set_to(StreamLab(), reply=reply)
    for quirk in QUIRKS:
        set_to(lab, quirk=quirk)
        for number in (0, 1, lab.controls["position"].max):
            for cut in (True, False):
                set_to(lab, position=number, cut=cut)
                assert f"chunk {number} of {len(lab.stream.chunks)}" in lab.text()


def test_what_has_just_come_is_marked_by_more_than_colour() -> None:
    assert "<u " in StreamLab()._picture.value
    assert "<u " not in set_to(StreamLab(), position=0)._picture.value
