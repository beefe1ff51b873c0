"""A chat completion server of the least possible cost, in its own process: latency is all it adds.

`python scripts/bench/api_server.py LATENCY_S [RATE]` prints its port. `GET /stats` says how many
requests came, when the first, the second and the last answer were, and the most at once; `GET /reset`
forgets. With a RATE it answers 429 beyond so many requests a second; `GET /rate/N` changes it.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time

BODY = json.dumps(
    {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "bench",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": "1"},
                "logprobs": None,
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 200, "completion_tokens": 1, "total_tokens": 201},
    }
).encode()


def http(status: str, body: bytes) -> bytes:
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


ANSWER = http("200 OK", BODY)
REFUSAL = http("429 Too Many Requests", b'{"error": {"message": "Rate limit reached."}}')


class Counts:
    def __init__(self) -> None:
        self.requests = self.answered = self.refused = self.at_once = self.most = 0
        self.first = self.second = self.last = 0.0

    def show(self) -> bytes:
        return json.dumps(self.__dict__).encode()


class Server:
    def __init__(self, latency_s: float, rate: float) -> None:
        self.latency_s = latency_s
        self.rate = rate
        self.counts = Counts()
        self._level = 0.0
        self._level_at = 0.0

    def refuses(self, now: float) -> bool:
        """A bucket of a tenth of a second's worth, at least five."""
        if not self.rate:
            return False
        self._level = max(0.0, self._level - (now - self._level_at) * self.rate)
        self._level_at = now
        if self._level + 1 > max(5.0, self.rate / 10):
            return True
        self._level += 1
        return False


class Connection(asyncio.Protocol):
    def __init__(self, server: Server) -> None:
        self._server = server
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while True:
            head, found, rest = self._buffer.partition(b"\r\n\r\n")
            if not found:
                return
            at = head.lower().find(b"content-length:")
            length = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
            if len(rest) < length:
                return
            self._buffer = rest[length:]
            self._answer(head.split(b" ", 2)[:2])

    def _answer(self, line: list[bytes]) -> None:
        server = self._server
        if line[0] == b"GET":
            if line[1] == b"/reset":
                server.counts = Counts()
            elif line[1].startswith(b"/rate/"):
                server.rate = float(line[1][6:])
            self._write(http("200 OK", server.counts.show()))
            return
        now = time.monotonic()
        counts = server.counts
        counts.requests += 1
        if counts.requests <= 2:
            counts.first, counts.second = counts.first or now, now
        if server.refuses(now):
            counts.refused += 1
            self._write(REFUSAL)
            return
        counts.at_once += 1
        counts.most = max(counts.most, counts.at_once)
        asyncio.get_running_loop().call_later(server.latency_s, self._late, counts)

    def _late(self, counts: Counts) -> None:
        counts.at_once -= 1
        counts.answered += 1
        counts.last = time.monotonic()
        self._write(ANSWER)

    def _write(self, data: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(data)  # type: ignore[attr-defined]


async def main() -> None:
    latency_s = float(sys.argv[1])
    rate = float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
    server = Server(latency_s, rate)
    loop = asyncio.get_running_loop()
    listening = await loop.create_server(lambda: Connection(server), "127.0.0.1", 0, backlog=2048)
    print(listening.sockets[0].getsockname()[1], flush=True)
    await listening.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
