"""A stand-in for a model's server on this machine: speaks OpenAI's protocol, answers as told, notes questions."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

GOOD = (
    "In this study the authors report their findings on the topic of the paper, and they describe design, setting and "
    "patients in the abstract, with the uncertainty that the abstract itself states."
)


@dataclass
class ModelServer:
    """`replies` are given in turn, the last one for ever after: a text, a dict of the message, or a status."""

    url: str
    replies: list[Any] = field(default_factory=lambda: [GOOD])
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    usage: dict[str, int] | None = field(
        default_factory=lambda: {"prompt_tokens": 100, "completion_tokens": 40, "total_tokens": 140}
    )


def completion(server: ModelServer, reply: Any) -> dict[str, Any]:
    """The body of an answer. A dict sets parts of the choice ("content", "refusal", "finish_reason")."""
    parts = {"content": reply} if isinstance(reply, str) else dict(reply)
    ended = parts.pop("finish_reason", "stop")
    choice = {"index": 0, "finish_reason": ended, "message": {"role": "assistant", "content": None, **parts}}
    body = {"id": "x", "object": "chat.completion", "created": 1, "model": "served-name", "choices": [choice]}
    return body | ({"usage": server.usage} if server.usage is not None else {})


@contextmanager
def model_server() -> Iterator[ModelServer]:
    """Running until the block ends."""
    made = ModelServer("")

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            made.asked.append(json.loads(body))
            made.headers.append({name.lower(): value for name, value in self.headers.items()})
            made.paths.append(self.path)
            reply = made.replies.pop(0) if len(made.replies) > 1 else made.replies[0]
            if isinstance(reply, int):
                status, answer = reply, json.dumps({"error": {"message": "secret detail of the server"}}).encode()
            elif isinstance(reply, bytes):
                status, answer = 200, reply
            else:
                status, answer = 200, json.dumps(completion(made, reply)).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    made.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)


if __name__ == "__main__":  # docs/briefing.md: the walkthrough without a model of one's own
    with model_server() as running:
        print(f"LITAPP_MODEL_URL={running.url}", flush=True)
        threading.Event().wait()
