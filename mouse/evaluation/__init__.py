"""One evaluation from configuration to tracked result: plan, ask, score, log."""
