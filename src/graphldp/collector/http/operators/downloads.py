"""Answers that a browser saves as files."""

from __future__ import annotations

import errno
from contextlib import ExitStack

from fastapi.responses import FileResponse, Response, StreamingResponse
from starlette.background import BackgroundTask

from graphldp.collector.actions.log_reading import LOG_FORMATS, download
from graphldp.collector.actions.reports import FORMATS, export
from graphldp.collector.http.problems import ProblemError
from graphldp.collector.roles import Actor
from graphldp.collector.storage.store import Store
from graphldp.errors import ParameterError, StoreError
from graphldp.files.folders import passing_folder

_TYPES = {"csv": "text/csv"}
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_BYTES = "application/octet-stream"
MEDIA_TYPES = (*_TYPES.values(), _BYTES)
EXPORTS = "graphldp-export-"
"""How the folders are called in which files lie until they are sent."""


def saved_as(content: bytes, media_type: str, name: str) -> Response:
    """A file from bytes."""
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=media_type, headers=headers)


def log_response(store: Store, actor: Actor, format: str) -> Response:
    """The log of what operators did as a file, sent while it is read: it may be longer than memory."""
    try:
        text = download(store, actor, format)
    except ParameterError:
        raise ProblemError("bad-request", f"The format must be one of: {', '.join(LOG_FORMATS)}.") from None
    headers = {"content-disposition": f'attachment; filename="audit-log.{format}"'}
    kind = "application/json" if format == "json" else "text/csv; charset=utf-8"
    return StreamingResponse(text, media_type=kind, headers=headers)


def export_response(store: Store, actor: Actor, id: str, format: str, min_reports: int) -> Response:
    """The reports of a community as a file.

    It is written to the server's disk first, and then sent: no transaction waits for somebody's slow line.
    """
    if format not in FORMATS:
        raise ProblemError("bad-request", f"The format must be one of: {', '.join(FORMATS)}.")
    with ExitStack() as stack:
        try:
            file = stack.enter_context(passing_folder(EXPORTS)) / f"{id}.{format}"
            export(store, actor, id, file, min_reports=min_reports)
        except OSError as error:
            if isinstance(error, StoreError) or error.errno not in _FULL:
                raise
            raise ProblemError("no-room") from None
        sent = stack.pop_all()  # the folder stays until the file is sent
    kind = _TYPES.get(format, _BYTES)
    return FileResponse(file, media_type=kind, filename=file.name, background=BackgroundTask(sent.close))
