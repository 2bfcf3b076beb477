"""Where a call runs: a thread, the event loop, a process that can be killed, or any executor.

Chapter 06. Every place gives the same ``Job``: it is started, it announces its end on a queue, it can be stopped.
What stopping means differs: a thread is abandoned, a coroutine is cancelled, a process is killed.

    >>> job = job_for(tool, {"path": "a.txt"}, done=queue.SimpleQueue())
    >>> job.start()
    >>> job.done.get() is job
    True

Does not: decide when anything runs, know limits, make results.
"""

from labkit.workers.calling import call_function
from labkit.workers.child import Fault, fault, raised_on_purpose
from labkit.workers.jobs import Job, on_stop
from labkit.workers.places import job_for
from labkit.workers.processes import clean_environment, end_process_tree, own_group

__all__ = [
    "Fault",
    "Job",
    "call_function",
    "clean_environment",
    "end_process_tree",
    "fault",
    "job_for",
    "on_stop",
    "own_group",
    "raised_on_purpose",
]
