"""Streams that are looked at chunk by chunk: who has put what together by then, and what may be run. Pure.

Chapter 10. The stream lab and the chapter's cells ask the same functions.

    >>> stream = stream_of("two_look_ups", "index_zero")
    >>> frame = stream.frame(8)
    >>> [lane.name for lane in frame.naive], [lane.name for lane in frame.room]
    (['get_stockget_price'], ['get_stock', 'get_price'])

Does not: talk to a server, run a call, measure a time. The gaps between chunks and the tools' times are made up.
"""

from labkit.course.streams.ahead import Forecast, arrivals, forecast, may_start
from labkit.course.streams.frames import Frame, Lane, Stream, stream_of
from labkit.course.streams.naive import assemble_v0
from labkit.course.streams.pieces import Seen, growing, one_piece, pieces_of
from labkit.course.streams.samples import REPLIES, Sample, script_of, shop_registry, shop_tools
from labkit.course.streams.verdicts import Verdict, recorded, verdict, verdicts
from labkit.course.streams.words import delta_of, forecast_in_words, frame_in_words, gained, listing, states

__all__ = [
    "REPLIES",
    "Forecast",
    "Frame",
    "Lane",
    "Sample",
    "Seen",
    "Stream",
    "Verdict",
    "arrivals",
    "assemble_v0",
    "delta_of",
    "forecast",
    "forecast_in_words",
    "frame_in_words",
    "gained",
    "growing",
    "listing",
    "may_start",
    "one_piece",
    "pieces_of",
    "recorded",
    "script_of",
    "shop_registry",
    "shop_tools",
    "states",
    "stream_of",
    "verdict",
    "verdicts",
]
