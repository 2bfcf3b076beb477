"""A real language model on this machine, small enough for one processor core, with no key and no network. Chapter 11.

    >>> with LocalModel() as model:  # doctest: +SKIP
    ...     model.reply([{"role": "user", "content": "What is 2 + 3?"}], tools)

Needs the extra ``local`` and a file of weights; ``missing`` says what is not there, with the lines that bring it.
Does not: load anything before the first reply, use the network, call tools the way that large models do.
"""

from labkit.models.local.finding import missing, weights
from labkit.models.local.model import LocalModel

__all__ = ["LocalModel", "missing", "weights"]
