"""Prints what a run would ask and cost (`dry_run=true`)."""

from __future__ import annotations

import json
import math

from mouse.config.schema import RunConfig
from mouse.evaluation.estimate import Estimate
from mouse.evaluation.plan import Plan
from mouse.models.config import Thinking
from mouse.terminal.results import console


def print_dry_run(plan: Plan, estimate: Estimate, config: RunConfig) -> None:
    """The first prompt of each task, then counts, tokens, dollars and time."""
    from rich.markup import escape

    out = console()
    for request in plan.first_requests():
        title = f"{request.task} {request.variant}".strip()
        out.print(f"[bold]── {title} · item {escape(request.item_id)}[/]")
        for message in request.messages:
            out.print(f"[dim]{message.role}:[/] {escape(message.content)}", soft_wrap=True)
        if request.choices:
            out.print(f"[dim]held to:[/] {', '.join(request.choices)}")
        out.print()
    model = config.model
    lines = [
        f"model      {model.name} ({model.id or '–'}), temperature {plan.sampling.temperature:g}, "
        f"at most {plan.sampling.max_tokens} output tokens",
        f"requests   {estimate.requests:,} to the model"
        + (
            f", up to {estimate.judge_requests:,} to the judge {config.judge.name}"
            if estimate.judge_requests
            else ""
        ),
        f"tokens     {estimate.prompt_tokens:,} prompt + about {estimate.expected_output:,} output "
        f"(at most {estimate.output_limit:,}); {estimate.method}",
    ]
    if math.isnan(estimate.expected_usd):
        lines.append("cost       no price is configured for this model (model.price)")
    else:
        lines.append(
            f"cost       about ${estimate.expected_usd:.4f}, at most ${estimate.limit_usd:.4f} "
            f"(prices of {model.price.date or 'unknown date'}; the judge's calls not included)"
        )
    thinking, body = model.thinking, model.request_extras()
    if thinking is not Thinking.off or body:
        sent = json.dumps(body, ensure_ascii=False) if body else "nothing"
        lines.append(f"thinking   {thinking}; added to each request: {sent}")
    lines.append(
        f"time       about {estimate.seconds:,.0f} s by {estimate.seconds_basis}; answers already "
        "in the store take none"
    )
    lines.append("nothing was sent (dry_run=true)")
    for line in [*lines, *(f"note: {warning}" for warning in plan.warnings)]:
        out.print(escape(line), soft_wrap=True)
