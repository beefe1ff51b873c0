"""A real local server with the batch endpoint of OpenAI: `/files`, `/batches`, and their troubles.

Time does not pass here: a batch is over after it has been looked at `looks` times.
"""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any

from faulty_server import completion

Answer = Callable[[dict[str, Any], int], "tuple[int, Any] | None"]


def said(text: str) -> dict[str, Any]:
    usage = {"prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010}
    return {**completion(text), "usage": usage}


@dataclass
class BatchServer:
    """Knobs may be turned while it runs. `answer(body, n)` is the n-th answer to a prompt: status
    and body, or None where the batch leaves it out."""

    answer: Answer = lambda body, number: (200, said("1"))
    key: str | None = None
    looks: int = 2
    end: str = "completed"
    room: int = 10**9
    """Lines a batch may have; larger ones fail with `token_limit_exceeded`."""
    troubles: list[tuple[str, int]] = field(default_factory=list)
    """(method and path to begin with, status) that the next such calls meet; status 0: the call is
    carried out and the connection is cut instead of the answer."""
    calls: list[str] = field(default_factory=list)
    answered: Counter[str] = field(default_factory=Counter)
    """How often each prompt was answered 200 in a batch, and so paid for."""

    def __post_init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.asked: Counter[str] = Counter()
        self._numbers = count()
        self.lock = threading.Lock()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments: object) -> None: ...

            def _do(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length)
                with owner.lock:
                    status, content = owner.route(self.command, self.path, self.headers, body)
                if not status:
                    self.close_connection = True
                    return
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_DELETE = _do

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    def stop(self) -> None:
        self._http.shutdown()
        self._http.server_close()

    def times(self, call: str) -> int:
        """How many calls began so."""
        return sum(one.startswith(call) for one in self.calls)

    def route(self, method: str, path: str, headers: Any, body: bytes) -> tuple[int, bytes]:
        call = f"{method} {path.removeprefix('/v1').partition('?')[0]}"
        self.calls.append(call)
        given = str(headers.get("Authorization", "")).removeprefix("Bearer ")
        if self.key is not None and given != self.key:
            return _error(401, f"Incorrect API key provided: {given}.")
        trouble = next((one for one in self.troubles if call.startswith(one[0])), None)
        if trouble is not None:
            self.troubles.remove(trouble)
            if trouble[1]:
                return _error(trouble[1], f"Trouble with key {given}.")
        status, content = self._carry_out(call, headers, body)
        return (0, b"") if trouble is not None else (status, content)

    def _carry_out(self, call: str, headers: Any, body: bytes) -> tuple[int, bytes]:
        match call.split("/"):
            case ["POST ", "files"]:
                name = f"file-{next(self._numbers)}"
                self.files[name] = _uploaded(headers, body)
                return _json(_file(name))
            case ["POST ", "batches"]:
                return self._create(json.loads(body))
            case ["GET ", "batches"]:
                data = list(reversed(self.batches.values()))
                return _json({"object": "list", "data": data, "has_more": False})
            case ["GET ", "batches", name] if name in self.batches:
                return _json(self._looked_at(self.batches[name]))
            case ["GET ", "files", name, "content"] if name in self.files:
                return 200, self.files[name]
            case ["DELETE ", "files", name] if name in self.files:
                del self.files[name]
                return _json({"id": name, "object": "file", "deleted": True})
            case ["POST ", "chat", "completions"]:
                answer = self.answer(json.loads(body), 0)
                return answer[0], json.dumps(answer[1]).encode() if answer else b""
        return _error(404, f"Nothing at {call}.")

    def _create(self, asked: dict[str, Any]) -> tuple[int, bytes]:
        if asked["input_file_id"] not in self.files:
            return _error(400, "No such file.")
        name = f"batch-{len(self.batches)}"
        lines = self.files[asked["input_file_id"]].splitlines()
        self.batches[name] = {
            "id": name,
            "object": "batch",
            "endpoint": asked["endpoint"],
            "completion_window": asked["completion_window"],
            "input_file_id": asked["input_file_id"],
            "status": "validating",
            "created_at": 1,
            "looked": 0,
            "request_counts": {"total": len(lines), "completed": 0, "failed": 0},
        }
        return _json(self.batches[name])

    def _looked_at(self, batch: dict[str, Any]) -> dict[str, Any]:
        batch["looked"] += 1
        if batch["status"] not in ("validating", "in_progress"):
            return batch
        batch["status"] = "in_progress"
        if batch["looked"] >= self.looks:
            self._finish(batch)
        return batch

    def _finish(self, batch: dict[str, Any]) -> None:
        lines = [json.loads(line) for line in self.files[batch["input_file_id"]].splitlines()]
        if len(lines) > self.room:
            batch["status"] = "failed"
            error = {"code": "token_limit_exceeded", "message": "Enqueued token limit reached."}
            batch["errors"] = {"object": "list", "data": [error]}
            return
        good, bad = [], []
        for line in lines:
            prompt = line["body"]["messages"][-1]["content"]
            self.asked[prompt] += 1
            answer = self.answer(line["body"], self.asked[prompt])
            if answer is None:
                error = {"code": "batch_expired", "message": "This request was not executed."}
                bad.append({"custom_id": line["custom_id"], "response": None, "error": error})
                continue
            self.answered[prompt] += answer[0] == 200
            response = {"status_code": answer[0], "request_id": "r", "body": answer[1]}
            row = {"custom_id": line["custom_id"], "response": response, "error": None}
            (good if answer[0] == 200 else bad).append(row)
        for kind, rows in (("output_file_id", good), ("error_file_id", bad)):
            if rows:
                # Lines come back in no particular order.
                text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows[::-1])
                name = f"file-{next(self._numbers)}"
                self.files[name] = text.encode()
                batch[kind] = name
        batch["status"] = self.end


def _uploaded(headers: Any, body: bytes) -> bytes:
    boundary = re.search(r"boundary=([^;]+)", headers["Content-Type"])
    assert boundary is not None
    for part in body.split(b"--" + boundary[1].strip('"').encode()):
        head, _, content = part.partition(b"\r\n\r\n")
        if b"filename=" in head:
            return content.removesuffix(b"\r\n")
    raise AssertionError("no file in the upload")


def _file(name: str) -> dict[str, Any]:
    return {
        "id": name,
        "object": "file",
        "bytes": 1,
        "created_at": 1,
        "filename": "mouse.jsonl",
        "purpose": "batch",
        "status": "processed",
    }


def _json(content: object) -> tuple[int, bytes]:
    return 200, json.dumps(content).encode()


def _error(status: int, message: str) -> tuple[int, bytes]:
    body = {"error": {"message": message, "type": "error", "code": None, "param": None}}
    return status, json.dumps(body).encode()
