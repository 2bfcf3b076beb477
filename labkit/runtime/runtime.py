"""The front of the runtime."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import copy_context
from queue import Empty, SimpleQueue
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Any

from labkit.calls import ErrorCode, Repair, ToolCall, ToolError, ToolResult, failed, many, quote
from labkit.declare import ToolRegistry
from labkit.runtime.answers import interrupted, no_thread, not_run, stopped, unknown_end
from labkit.runtime.batch import SLICE, Batch, Held, as_planned, held_by
from labkit.runtime.content import raised, result_from, result_of, timed_out
from labkit.runtime.prepare import REPAIRS, VALIDATORS, Gate, Prepared, admit, unknown_tool
from labkit.schedule import POLICIES, kind_of, plan
from labkit.trace import tool_batch, tool_finished, tool_start
from labkit.workers import Job, call_function, fault, job_for, raised_on_purpose

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from labkit.runtime.early import EarlyCalls

Listener = Callable[[dict[str, Any]], None]


class ToolRuntime:
    """Runs calls of a registry's tools.

    ``max_parallel`` bounds how many calls are at work at once. ``validator`` is ``pydantic``, ``subset`` or
    ``jsonschema``. ``executor`` takes the sync, picklable tools that would run in a thread; a time limit can only
    abandon a call there, and context variables do not travel. ``repair`` is ``lossless`` (spellings of the arguments
    that have one reading only are undone) or ``none``.
    Raises ValueError for an unknown policy, validator or repair, and where the subset validator can't know a keyword.
    """

    def __init__(
        self,
        registry: ToolRegistry,
        policy: str = "barriers",
        max_parallel: int = 64,
        validator: str = "pydantic",
        executor: Executor | None = None,
        repair: Repair = "lossless",
    ) -> None:
        if not isinstance(registry, ToolRegistry):
            raise TypeError(f"a runtime takes a ToolRegistry, not a {type(registry).__name__}: ToolRegistry([…])")
        if policy not in POLICIES:
            raise ValueError(f'there is no policy "{policy}"; choose one of {", ".join(POLICIES)}')
        if validator not in VALIDATORS:
            raise ValueError(f'there is no validator "{validator}"; choose one of {", ".join(VALIDATORS)}')
        if repair not in REPAIRS:
            raise ValueError(f"repair is one of {', '.join(REPAIRS)}, not {quote(repair)}")
        if type(max_parallel) is not int or max_parallel < 1:
            raise ValueError(f"max_parallel must be a whole number of at least 1, not {max_parallel!r}")
        self.registry = registry
        self.policy = policy
        self.max_parallel = max_parallel
        self.validator = validator
        self.executor = executor
        self.repair = repair
        self._held: list[Held] = []
        self._lock = Lock()
        self._gates: dict[str, Gate] = {tool.name: Gate(tool, validator, repair) for tool in registry}

    def dispatch(self, call: ToolCall) -> ToolResult:
        """Run one call and return its result; never raises because of what a model sent or a tool did."""
        _require_call(call)
        return self._dispatch_one(call, perf_counter())

    def early(self, began: float | None = None, refuses: Callable[[ToolCall], object] | None = None) -> EarlyCalls:
        """Return what starts calls of one reply while the reply still streams: see ``EarlyCalls``.

        ``refuses`` is asked once per call, in call order; a call that it says yes to is not run and holds nobody.
        Raises ValueError where the policy is neither ``barriers`` nor ``by_resource``.
        """
        from labkit.runtime.early import EarlyCalls  # here, so that importing labkit does not pay for it

        return EarlyCalls(self, perf_counter() if began is None else began, refuses)

    def dispatch_many(
        self,
        calls: Sequence[ToolCall],
        *,
        on_event: Listener | None = None,
        began: float | None = None,
        early: EarlyCalls | None = None,
    ) -> list[ToolResult]:
        """Run calls as the policy allows; return one result per call, in call order, whatever their ids are.

        ``on_event`` hears, on this thread, ``tool_batch`` (of more than one call) and a ``tool_start`` per call
        before anything runs, then ``tool_finished`` in the order of completion. ``began`` is the ``perf_counter``
        reading that times count from. An interrupt leaves with the results so far as ``exc.results``. What ``early``
        has started is taken over where the call is still the same; else it runs anew, and ``early_discarded`` is told
        before all other events.
        """
        calls = list(calls)
        for call in calls:
            _require_call(call)
        began = perf_counter() if began is None else began
        if early is not None and early.started:
            return self._dispatch_batch(calls, on_event, early.began, early)
        if len(calls) == 1:
            return [self._dispatch_one(calls[0], began, on_event)]
        return self._dispatch_batch(calls, on_event, began) if calls else []

    def __repr__(self) -> str:
        return f"ToolRuntime({self.policy}, {many(len(self.registry), 'tool')})"

    def _dispatch_one(self, call: ToolCall, began: float, on_event: Listener | None = None) -> ToolResult:
        """The short way of a single call: no plan is needed where nothing holds it."""
        if self._held and self._still_held():
            return self._dispatch_batch([call], on_event, began)[0]
        result: ToolResult | None = None
        try:
            item = self._prepare(call)
            if on_event is not None:
                on_event(tool_start(call, kind_of(item.tool if isinstance(item, Prepared) else None)))
            if isinstance(item, ToolResult):
                result = item
            elif item.gate.inline and self.executor is None:
                result = self._run_inline(item, began)
            else:
                result = self._run_elsewhere(item, began)
            if on_event is not None:
                on_event(tool_finished(result))
        except BaseException as problem:
            if not hasattr(problem, "results"):
                _attach(problem, [result or unknown_end(call)])
            raise
        return result

    def _run_inline(self, item: Prepared, began: float) -> ToolResult:
        """Run one call in this thread; an interrupt comes through, one that the tool makes up does not."""
        started = perf_counter()
        try:
            told = item.gate.finish(copy_context().run(call_function, item.tool, item.values))
        except BaseException as problem:
            if isinstance(problem, KeyboardInterrupt) and not raised_on_purpose(problem):
                _attach(problem, [interrupted(item, started, began)])
                raise
            told = raised(fault(problem), item.tool.name)
        return result_from(item.call, told, started - began, perf_counter() - began, item.repairs)

    def _run_elsewhere(self, item: Prepared, began: float) -> ToolResult:
        """Run one call beside this thread: the usual way, so it is kept as short as it can be."""
        job = job_for(item.tool, item.values, SimpleQueue(), 0, self.executor, item.gate.finish)
        try:
            try:
                job.start()
            except RuntimeError:  # the system gives no more threads
                return no_thread(item)
            if wait_for(job, item.tool.timeout):
                return result_of(item.call, job, item.repairs, began)
        except BaseException as problem:
            _attach(problem, [stopped(item, job, began)])
            self._hold(*held_by(item, job))
            raise
        job.stop()
        job.place_is_lost()
        self._hold(*held_by(item, job))
        return timed_out(item.call, job, item.repairs, began)

    def _dispatch_batch(
        self, calls: Sequence[ToolCall], on_event: Listener | None, began: float, early: EarlyCalls | None = None
    ) -> list[ToolResult]:
        """Plan and run. Unsafe calls of earlier batches that are still at work stand at the head of the plan."""
        batch: Batch | None = None
        held = self._still_held()
        try:
            items = [self._prepare(call) for call in calls] if early is None else early.prepare(calls)
            new = [as_planned(item) if isinstance(item, Prepared) else None for item in items]
            whole = plan([*(each.call for each in held), *new], self.registry, self.policy)
            teller = _teller(on_event, None if early is None else early.whole)
            batch = Batch(whole, [*held, *items], began, self.max_parallel, self.executor, teller)
            if early is not None:
                early.hand_over(batch, calls, len(held), on_event)
            if on_event is not None:
                if len(calls) > 1:
                    mode = plan(new, self.registry, self.policy).mode if held else whole.mode
                    on_event(tool_batch(mode, len(calls)))
                for call, planned in zip(calls, whole.calls[len(held) :], strict=True):
                    on_event(tool_start(call, planned.kind))
            batch.run()
        except BaseException as problem:
            if batch is None:
                begun = {} if early is None else early.started
                _attach(problem, [unknown_end(c) if i in begun else not_run(c) for i, c in enumerate(calls)])
            else:
                batch.abandon_all()
                _attach(problem, batch.results[len(held) :])
            raise
        finally:
            if batch is not None:
                self._hold(*batch.held)
        return [result for result in batch.results[len(held) :] if result is not None]

    def _prepare(self, call: ToolCall) -> Prepared | ToolResult:
        try:
            found = self._gates[call.name]
        except (KeyError, TypeError):  # registered since, called by its original name, or no tool at all
            tool = self.registry.get(call.name) if isinstance(call.name, str) else None
            if tool is None:
                return unknown_tool(call, self.registry)
            try:
                found = self._gates[call.name] = Gate(tool, self.validator, self.repair)
            except ValueError as problem:
                return failed(call, ToolError(ErrorCode.EXECUTION_ERROR, str(problem), tool.name))
        return admit(call, found)

    def _hold(self, *more: Held) -> None:
        with self._lock:
            self._held = [each for each in (*self._held, *more) if each.job.alive]

    def _still_held(self) -> list[Held]:
        self._hold()
        return self._held


def _require_call(call: ToolCall) -> None:
    """What a model sent may be anything; that it stands in a ``ToolCall`` is the program's part."""
    if not isinstance(call, ToolCall):
        raise TypeError(f"a call must be a ToolCall, not a {type(call).__name__}: ToolCall(**call)")


def wait_for(job: Job, limit: float | None) -> bool:
    """Wait until a job ends, at most ``limit`` seconds; return whether it did. Interrupts come through."""
    deadline = None if limit is None else perf_counter() + limit
    wait = SLICE if limit is None else min(SLICE, limit)
    while True:
        try:
            job.done.get(timeout=wait)
            return True
        except Empty:
            if deadline is not None:
                left = deadline - perf_counter()
                if left <= 0:
                    return job.finished is not None  # it may have ended a moment before it says so
                wait = min(SLICE, left)


def _teller(on_event: Listener | None, whole: float | None) -> Callable[[ToolResult], None]:
    def tell(result: ToolResult) -> None:
        if on_event is not None:
            on_event(tool_finished(result, whole))

    return tell


def _attach(problem: BaseException, results: Sequence[ToolResult | None]) -> None:
    """Send the results so far along with an exception that is on its way out."""
    problem.results = list(results)  # type: ignore[attr-defined]
