"""One batch under one policy: what is predicted, and a run that can be looked at while it goes on.

    >>> trial = Trial(Setting(lines, "barriers"))
    >>> trial()
    >>> trial.warnings
    ()

A setting is pure. A trial acts: it runs the calls on files of its own, in a folder that is removed at its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from labkit.calls import ToolCall, ToolResult
from labkit.course.scheduling.batches import Line
from labkit.course.scheduling.files import Shelf, for_planning, registry_of
from labkit.course.scheduling.outcomes import Outcome, call_id, differences, outcome, resources
from labkit.runtime import ToolRuntime
from labkit.schedule import Plan, plan
from labkit.timeline import Timeline


@dataclass(frozen=True)
class Setting:
    """What a run depends on. A value; what follows from it is worked out once, when it is asked for."""

    lines: tuple[Line, ...]
    policy: str = "barriers"
    max_parallel: int = 12

    @cached_property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls as a model would send them."""
        return tuple(ToolCall(call_id(i), line.kind, _values(i, line)) for i, line in enumerate(self.lines))

    @cached_property
    def plan(self) -> Plan:
        """Who waits for whom; each call is named after what it does to what."""
        made = plan(self.calls, for_planning(), self.policy)
        named = (call._replace(name=line.label) for call, line in zip(made.calls, self.lines, strict=True))
        return replace(made, calls=tuple(named))

    @cached_property
    def predicted(self) -> Timeline:
        """When each call would run if all took just their time."""
        return Timeline.predict(self.plan, [line.ms / 1000 for line in self.lines], self.max_parallel)

    @cached_property
    def serial(self) -> Outcome:
        """What comes of the calls one by one, in call order."""
        return outcome(self.lines, range(len(self.lines)))

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The positions in the order in which the calls would start: each after all that it waits for."""
        starts = [span.started or 0.0 for span in self.predicted.spans]
        return tuple(sorted(range(len(starts)), key=starts.__getitem__))

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What the plan makes different from call order: nothing, where its outcome is that of ``serial``.

        Calls that touch the same never overlap under any policy, so the order of their starts is all that counts.
        """
        return differences(self.lines, outcome(self.lines, self.order), self.serial)


class Trial:
    """A run of a setting: call it once. Whoever looks on may ask ``measured`` at any time, from any thread.

    ``results`` and ``outcome`` are None until it is over.
    """

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.events: list[dict[str, Any]] = []
        self.results: list[ToolResult] | None = None
        self.outcome: Outcome | None = None
        self._began: float | None = None
        self._took: float | None = None

    def __call__(self) -> None:
        """Run the calls, on files of their own; returns when all have their result."""
        setting = self.setting
        with TemporaryDirectory(prefix="labkit-", ignore_cleanup_errors=True) as folder:
            shelf = Shelf(Path(folder), resources(setting.lines))
            runtime = ToolRuntime(registry_of(shelf), setting.policy, setting.max_parallel)
            self._began = perf_counter()
            results = runtime.dispatch_many(setting.calls, on_event=self.events.append, began=self._began)
            self._took = perf_counter() - self._began
            self.outcome = Outcome(tuple(result.content for result in results), shelf.contents())
            self.results = results

    @property
    def measured(self) -> Timeline:
        """What is known by now: calls that have ended as measured, the others as they stand at this moment."""
        setting, results = self.setting, self.results
        seen = Timeline.live(setting.plan, list(self.events), self._now(), setting.max_parallel)
        named = (replace(span, name=line.label) for span, line in zip(seen.spans, setting.lines, strict=True))
        return replace(seen, spans=tuple(named), answered=() if results is None else _order(setting.calls, results))

    @property
    def order_kept(self) -> bool:
        """Whether every call has its result, in call order; false until it is over."""
        return self.results is not None and _order(self.setting.calls, self.results) == (*range(len(self.results)),)

    @property
    def warnings(self) -> tuple[str, ...] | None:
        """What came out in another way than in call order; None until it is over."""
        if self.outcome is None:
            return None
        return differences(self.setting.lines, self.outcome, self.setting.serial)

    def _now(self) -> float:
        """Return the seconds since the calls began: none before, no more once all have ended."""
        if self._began is None:
            return 0.0
        return perf_counter() - self._began if self._took is None else self._took


def _values(position: int, line: Line) -> dict[str, Any]:
    values = {"resource": line.resource, "ms": line.ms}
    return values | {"call": call_id(position)} if line.kind == "edit" else values


def _order(calls: Sequence[ToolCall], results: Sequence[ToolResult]) -> tuple[int, ...]:
    positions = {call.id: i for i, call in enumerate(calls)}
    return tuple(positions[result.call_id] for result in results)
