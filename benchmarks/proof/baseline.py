"""What the collector is measured against: a FastAPI route that reads the body and answers 204."""

from __future__ import annotations

import socket

import uvicorn
from fastapi import FastAPI, Request, Response

app = FastAPI()


@app.put("/v1/communities/{community}/reports/{user}")
async def put(request: Request) -> Response:
    """Take a body, and answer 204."""
    await request.body()
    return Response(status_code=204)


def main() -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        print(f"baseline: listening on http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
        # the collector's own parser, whatever else is installed: the two differ in what they do with a request
        config = uvicorn.Config(app, http="h11", log_level="warning", access_log=False, server_header=False)
        uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    main()
