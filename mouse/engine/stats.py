"""What an engine counts while it works: for the progress bar, the ledger and the cost."""

from __future__ import annotations

from dataclasses import dataclass

from mouse.contracts import Completion


@dataclass(slots=True)
class EngineStats:
    """Counts of one pool.

    `requests = cache_hits + duplicates + asked + refused` once every source is exhausted, and
    `requests = answered + failed` once `results()` has ended.
    """

    requests: int = 0
    """Requests taken from what was submitted."""
    cache_hits: int = 0
    """Answered from the store."""
    duplicates: int = 0
    """Same key as a request of this run; asked once and handed to each."""
    asked: int = 0
    """Distinct requests handed to a backend."""
    asked_again: int = 0
    """Times a request was handed out once more because its actor died."""
    refused: int = 0
    """Not sent: the pool had been stopped, or `admit` refused."""
    answered: int = 0
    """Completions without an error, from wherever."""
    failed: int = 0
    in_flight: int = 0
    """Requests with an actor at this moment."""
    attempts: int = 0
    """Calls to the model behind the completions of this run, retries included."""
    restarts: int = 0
    """Actors started in place of dead ones."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    cached_tokens: int = 0
    """Tokens of this run's own calls; those of stored answers were paid for before."""

    def count_call(self, completion: Completion) -> None:
        """Add what one completion that came from a backend cost."""
        self.attempts += completion.attempts
        usage = completion.usage
        if usage is not None:
            self.prompt_tokens += usage.prompt_tokens
            self.completion_tokens += usage.completion_tokens
            self.reasoning_tokens += usage.reasoning_tokens
            self.cached_tokens += usage.cached_tokens
