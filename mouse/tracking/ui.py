"""`make ui`: MLflow's own pages over the runs under `mlruns/` (or `MOUSE_HOME`)."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from mouse.errors import UserError
from mouse.tracking import home


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until interrupted. Listens on this machine alone unless `--host` says otherwise."""
    parser = argparse.ArgumentParser(prog="make ui", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=5000)
    given = parser.parse_args(arguments)

    try:
        uri = home.prepare()
    except UserError as error:
        print(f"mouse: {error}", file=sys.stderr)
        return 2
    print(f"MLflow on http://{given.host}:{given.port} over {uri} (Ctrl-C ends it)", flush=True)
    command = [sys.executable, "-m", "mlflow", "ui", "--backend-store-uri", uri]
    command += ["--host", given.host, "--port", str(given.port), "--workers", "1"]
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    os.execv(sys.executable, command)


if __name__ == "__main__":
    sys.exit(main())
