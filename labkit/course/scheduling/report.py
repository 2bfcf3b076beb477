"""What a batch and its run come to, in words and as rows of a table. Pure.

    >>> verdict((), "predicted")
    (True, 'same outcome as serial (predicted)')

Does not: draw. Words hold stable facts only; the rows of a run hold its times.
"""

from __future__ import annotations

from labkit.calls import many
from labkit.course.scheduling.batches import written
from labkit.course.scheduling.outcomes import call_id
from labkit.course.scheduling.trial import Setting, Trial
from labkit.schedule import POLICIES
from labkit.timeline import Timeline
from labkit.timeline.scale import spoken

ROWS = ("wall time", "sum of all calls", "speed-up", "peak overlap", "bound: the longest chain", "order of results")


def in_words(setting: Setting, trial: Trial | None) -> str:
    """Return the plan, the prediction, and of a run that is over what is the same on every machine."""
    ahead = setting.predicted
    told = [
        repr(setting.plan),
        f"\n{ahead}",
        f"speed-up {ahead.speed_up:.2f} · bound {spoken(ahead.bound or 0.0)}, the chain {' - '.join(chain(setting))}",
        verdict(setting.warnings, "predicted")[1],
    ]
    if trial is not None and trial.results is not None:
        told.append(measured_words(trial))
    return "\n".join(told)


def measured_words(trial: Trial) -> str:
    """Return the facts of a run that is over, without its times."""
    facts = trial.measured.facts
    errors = many(facts["errors"], "error") if facts["errors"] else "no errors"
    order = "order of results kept" if trial.order_kept else "order of results not kept"
    return (
        f"measured: {many(facts['calls'], 'call')} · {errors} · {order}\n{verdict(trial.warnings or (), 'measured')[1]}"
    )


def verdict(warnings: tuple[str, ...], source: str) -> tuple[bool, str]:
    """Return whether the outcome is that of serial order, and the sentence that says so or warns."""
    if not warnings:
        return True, f"same outcome as serial ({source})"
    return False, f"not the same outcome as serial ({source}): {'; '.join(warnings)}. No error says so."


def who_waits(setting: Setting) -> list[tuple[str, str, str]]:
    """Return a row per call: its label, what it does and for how long, and the calls that it waits for."""
    return [
        (call_id(i), f"{line.text} ms", ", ".join(map(call_id, sorted(setting.plan[i]))) or "nobody")
        for i, line in enumerate(setting.lines)
    ]


def numbers(timeline: Timeline) -> tuple[str, ...]:
    """Return what stands beside ``ROWS`` in the column of this timeline."""
    return (
        spoken(timeline.wall),
        spoken(timeline.total),
        f"{timeline.speed_up:.2f}",
        str(timeline.peak),
        spoken(timeline.bound or 0.0),
        "kept" if timeline.order_kept else "not known yet",
    )


def walls(text: str) -> dict[str, int]:
    """Return the predicted wall time of a written batch under each policy, in milliseconds."""
    lines, _ = written(text)
    return {policy: round(1000 * Setting(lines, policy).predicted.wall) for policy in POLICIES}


def chain(setting: Setting) -> list[str]:
    """Return the longest chain of calls that wait for each other, first call first."""
    best: dict[int, tuple[int, list[int]]] = {}
    for i in setting.order:
        before = max((best[j] for j in setting.plan[i]), default=(0, []))
        best[i] = (before[0] + setting.lines[i].ms, [*before[1], i])
    return [call_id(i) for i in max(best.values(), key=lambda found: found[0])[1]]
