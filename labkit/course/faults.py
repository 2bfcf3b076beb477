"""The catalogue of wrong arguments in ``data/faults``, the tools that they are made for, and what becomes of each.

Chapter 03.

    >>> faults()["cut_json"].call("get_weather").arguments
    '{"city": "Lisbon", "dat'

Does not: judge. The verdicts of a table are those of ``passage``.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import Field

from labkit.calls import Failure, Repair, ToolCall
from labkit.declare import Tool, ToolRegistry
from labkit.paths import data
from labkit.runtime import ToolRuntime
from labkit.runtime.passage import Passage, passage
from labkit.runtime.prepare import REPAIRS, VALIDATORS
from labkit.toolsets import everyday_tools, workspace_tools
from labkit.toolsets.everyday.weather import City, Day, get_weather

PLACES = ("look-up", "transport", "contract", "cross-field", "execution")
"""Where a fault lies; in the order of the pipeline."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One way in which a call can be wrong. A value; ``calls`` holds such a call for each tool to which it applies."""

    name: str
    place: str
    title: str
    calls: Mapping[str, ToolCall] = field(repr=False)

    def call(self, tool: str) -> ToolCall:
        """Return the faulty call of a tool. Raises KeyError, naming the tools there are, where it does not apply."""
        if tool not in self.calls:
            raise KeyError(f"{self.name} does not apply to {tool}; it applies to {', '.join(self.calls)}")
        return self.calls[tool]


def faults() -> dict[str, Fault]:
    """Return all faults by name, in the order of the catalogue."""
    return {
        entry["name"]: Fault(
            entry["name"],
            entry["place"],
            entry["title"],
            {tool: _call(tool, raw) for tool, raw in entry["calls"].items()},
        )
        for entry in _catalogue()["faults"]
    }


def good_calls() -> dict[str, ToolCall]:
    """Return one good call of each tool of the catalogue, by the tool's name."""
    return {tool: ToolCall("call_1", tool, raw) for tool, raw in _catalogue()["good"].items()}


def fault_tools(folder: str | os.PathLike[str]) -> list[Tool]:
    """Return the tools of the catalogue, those on files for a folder such as a copy of ``calculator``."""
    known = {tool.name: tool for tool in (*workspace_tools(folder), *everyday_tools(), _COMPARE_WEATHER)}
    return [known[name] for name in _catalogue()["good"]]


@functools.cache
def _catalogue() -> Any:
    return json.loads(data("faults", "catalogue.json").read_text(encoding="utf-8"))


def _call(tool: str, entry: Any) -> ToolCall:
    """Read an entry: the text as sent, parts of it, or an object that also says which name was called."""
    if isinstance(entry, dict):
        return ToolCall("call_1", entry["called"], _text(entry["raw"]))
    return ToolCall("call_1", tool, _text(entry))


def _text(raw: Any) -> str | None:
    """Put a text together whose parts may be ``{"repeat": [text, times]}``; None is no text at all."""
    if not isinstance(raw, list):
        return None if raw is None else str(raw)
    return "".join(part if isinstance(part, str) else part["repeat"][0] * part["repeat"][1] for part in raw)


Cities = Annotated[list[City], Field(min_length=2, max_length=5, description="Two to five cities, for example Lisbon")]


def compare_weather(cities: Cities, date: Day) -> list[dict[str, Any]] | Failure:
    """Return temperature and sky of several cities on one day, in the order asked for.

    Reads the same table as get_weather: 16 cities, one week. Takes one day a call.
    """
    found: list[dict[str, Any]] = []
    for city in cities:
        weather = get_weather(city, date)
        if isinstance(weather, Failure):
            return weather
        found.append(weather)
    return found


_COMPARE_WEATHER = Tool.from_function(compare_weather, readonly=True, timeout=8.0)


# ---- what becomes of them ----

Setting = tuple[str, Repair]
SETTINGS: tuple[Setting, ...] = tuple((validator, repair) for repair in REPAIRS for validator in VALIDATORS)


@dataclass(frozen=True, slots=True)
class Row:
    """What became of one faulty call under each validator and repair policy. A value."""

    fault: Fault
    tool: str
    passages: Mapping[Setting, Passage] = field(repr=False)

    def verdict(self, validator: str, repair: Repair = "lossless") -> str:
        """Return the verdict of one cell, such as ``refused at judge``."""
        return self.passages[validator, repair].verdict

    @property
    def same(self) -> bool:
        """Whether the three validators have one verdict, under each repair policy."""
        return all(len({self.verdict(validator, repair) for validator in VALIDATORS}) == 1 for repair in REPAIRS)


class Verdicts(tuple[Row, ...]):
    """The rows of a table that is also its text: a line for each faulty call, a column for each setting."""

    def __repr__(self) -> str:
        policies = [f'repair="{repair}"'.ljust(len(VALIDATORS) * WIDE) for repair in REPAIRS]
        lines = [" " * NAMES + "".join(policies).rstrip()]
        lines.append(_line("fault", "sent to", (validator for validator, _ in SETTINGS)))
        for row in self:
            lines.append(_line(row.fault.name, row.tool, [_in_short(row.verdict(*setting)) for setting in SETTINGS]))
        return "\n".join(lines)


NAMES, WIDE = 38, 12


def _line(fault: str, tool: str, cells: Iterable[str]) -> str:
    return (f"{fault:<21} {tool}".ljust(NAMES) + "".join(cell.ljust(WIDE) for cell in cells)).rstrip()


def _in_short(verdict: str) -> str:
    """``ran``, ``repaired``, ``failed``, or the stage that refused."""
    short = {"repaired and ran": "repaired", "ran and failed": "failed"}
    return short.get(verdict, verdict.removeprefix("refused at "))


def verdicts(folder: str | os.PathLike[str], every_tool: bool = False) -> Verdicts:
    """Send the faults through six runtimes, one for each validator and repair policy.

    Each fault is sent to the first tool to which it applies; with ``every_tool`` to all of them.
    """
    registry = ToolRegistry(fault_tools(folder))
    runtimes = {(v, r): ToolRuntime(registry, validator=v, repair=r) for v, r in SETTINGS}
    return Verdicts(_rows(runtimes, every_tool))


def _rows(runtimes: Mapping[Setting, ToolRuntime], every_tool: bool) -> Iterator[Row]:
    for fault in faults().values():
        for tool in list(fault.calls)[: None if every_tool else 1]:
            call = fault.call(tool)
            yield Row(fault, tool, {setting: passage(each, call) for setting, each in runtimes.items()})
