"""What a page of ours may load: a Content-Security-Policy on every answer of the server.

Streamlit makes code at run time (`eval` in its charts, workers and components from blobs), styles
inside of elements and pictures from data, so these stay allowed; scripts, connections, frames and
forms of any other host do not. A text that became markup after all could call nobody.
"""

from __future__ import annotations

from typing import Any

POLICY = {
    "default-src": "'self'",
    "script-src": "'self' 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' blob:",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "media-src": "'self' data: blob:",
    "connect-src": "'self' data: blob:",
    "worker-src": "'self' blob:",
    "frame-src": "'self' blob:",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
}
HEADERS = {
    "content-security-policy": "; ".join(f"{name} {where}" for name, where in POLICY.items()),
    "x-content-type-options": "nosniff",
    # An address holds the whole view: other hosts need not hear of it.
    "referrer-policy": "same-origin",
}


class Policy:
    """Adds the headers to every answer over HTTP; what an answer says itself it keeps."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def sent(message: Any) -> None:
            if message["type"] == "http.response.start":
                given = list(message.get("headers", ()))
                names = {name.lower() for name, _ in given}
                more = [(k.encode(), v.encode()) for k, v in HEADERS.items()]
                message = message | {"headers": given + [h for h in more if h[0] not in names]}
            await send(message)

        await self.app(scope, receive, sent if scope["type"] == "http" else send)
