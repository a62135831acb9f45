"""Settings: one table of (name, default, help), each an environment variable and a ``--set`` of ``graphldp serve``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any, get_type_hints
from urllib.parse import urlsplit

import platformdirs

from graphldp.collector.community import MIN_REPORTS
from graphldp.errors import ParameterError, WireError, bad_parameter
from graphldp.wire import address


@dataclass(frozen=True)
class Setting:
    """One setting; its type is its default's."""

    name: str
    default: str | int | float
    help: str

    @property
    def variable(self) -> str:
        """Its environment variable."""
        return f"GRAPHLDP_{self.name.upper()}"

    def parse(self, text: str) -> str | int | float:
        """Its value from text."""
        if isinstance(self.default, str):
            return text
        try:
            value = type(self.default)(text)
        except ValueError:
            value = -1
        if not value >= 0:
            kind = "a whole number" if isinstance(self.default, int) else "a number"
            raise bad_parameter(self.name, "the collector", f"{kind} ≥ 0", text)
        return value


def default_database() -> str:
    """A file of this user's, made when it is first needed."""
    return f"sqlite:///{platformdirs.user_data_path('graphldp') / 'collector.db'}"


@dataclass(frozen=True)
class Settings:
    """The values of all settings: what each means, its type and its default."""

    database: Annotated[str, "Where reports are kept: sqlite:///file.db or postgresql://user@host/name."] = ""
    host: Annotated[str, "The address to listen on. Anything but loopback belongs behind TLS."] = "127.0.0.1"
    port: Annotated[int, "The port to listen on; 0 takes a free one and prints it."] = 8470
    admin_listen: Annotated[
        str, "A second address for operators, such as 127.0.0.1:8471: dashboard, API and metrics are only there."
    ] = ""
    trusted_proxies: Annotated[str, "Proxies whose X-Forwarded-For is believed, by address."] = "127.0.0.1"
    address_per_minute: Annotated[int, "Requests a minute from one address (one /64 in IPv6); 0 is no limit."] = 600
    token_per_minute: Annotated[int, "Requests a minute with one token; 0 is no limit."] = 30
    connections: Annotated[int, "Connections at a time; more are answered 503."] = 1000
    address_connections: Annotated[
        int, "Connections at a time from one address, other than a proxy; 0 is no limit."
    ] = 50
    header_seconds: Annotated[float, "How long a request's head may take to arrive."] = 10.0
    body_seconds: Annotated[float, "How long a body may take to arrive."] = 20.0
    answer_seconds: Annotated[float, "How long a client may take to read 64 KB of an answer."] = 10.0
    database_seconds: Annotated[
        float, "How long the database may take for a report; after that, the answer is 503."
    ] = 10.0
    batch_items: Annotated[int, "Reports in one batch."] = 2000
    batch_bytes: Annotated[int, "Bytes in one batch."] = 16_000_000
    held_bytes: Annotated[
        int, "Bytes of unfinished bodies at a time, of batches and of reports each, and of long answers under way."
    ] = 64_000_000
    erase_seconds: Annotated[
        float, "How long the bytes of withdrawn reports may stay in the database's files; nothing reads them."
    ] = 600.0
    page_origin: Annotated[
        str, "Where somebody else hosts the page for members, such as https://pages.example.net."
    ] = ""
    purpose: Annotated[str, "What reports are for, as members of a new community read it; each may say another."] = ""
    run_by: Annotated[str, "Who runs this collector and asks its members, as they and its start page are told."] = ""
    contact: Annotated[str, "How to reach them: an address for mail, or of a page."] = ""
    min_reports: Annotated[int, "No number on fewer reports is shown, nothing is trained on or exported."] = MIN_REPORTS
    oidc_issuer: Annotated[
        str, "An OpenID Connect provider by which operators sign in, such as https://id.example.org."
    ] = ""
    oidc_client_id: Annotated[str, "What the provider knows this collector as."] = ""
    oidc_client_secret: Annotated[str, "The secret that the provider gave it, if any."] = ""
    oidc_redirect: Annotated[str, "Where browsers reach the dashboard, such as https://reports.example.org."] = ""
    models: Annotated[str, "The folder for models that jobs train; by default 'models' beside an SQLite file."] = ""
    session_hours: Annotated[float, "How long an operator stays logged in."] = 12.0
    shutdown_seconds: Annotated[float, "How long requests under way may take to end after SIGTERM."] = 20.0
    log_level: Annotated[str, "debug, info, warning or error."] = "info"
    log_format: Annotated[str, "text, or json: one object for each line."] = "text"
    traces: Annotated[str, "Where OpenTelemetry traces go, such as http://127.0.0.1:4318/v1/traces."] = ""


def _table() -> tuple[Setting, ...]:
    hints = get_type_hints(Settings, include_extras=True)
    told: dict[str, Any] = {each.name: each.default for each in fields(Settings)}
    return tuple(Setting(name, default, hints[name].__metadata__[0]) for name, default in told.items())


TABLE = _table()
_BY_NAME = {setting.name: setting for setting in TABLE}


def load_settings(
    given: Mapping[str, str | None] | None = None, environment: Mapping[str, str] = os.environ
) -> Settings:
    """Defaults, overruled by the environment, overruled by what was given."""
    values: dict[str, Any] = {}
    for setting in TABLE:
        text = (given or {}).get(setting.name)
        text = environment.get(setting.variable) if text is None else text
        values[setting.name] = setting.default if text is None else setting.parse(text)
    values["database"] = values["database"] or default_database()
    for name, right, must_be in (
        ("log_level", values["log_level"] in ("debug", "info", "warning", "error"), "debug, info, warning or error"),
        ("log_format", values["log_format"] in ("text", "json"), "text or json"),
        ("connections", values["connections"] >= 1, "a whole number ≥ 1"),
        ("port", values["port"] <= 65535, "a port, 0 to 65535"),
    ):
        if not right:
            raise bad_parameter(name, "the collector", must_be, values[name])
    if values["traces"] and not _is_address(values["traces"]):
        raise bad_parameter("traces", "the collector", "an address, such as http://127.0.0.1:4318/v1/traces", "another")
    if values["oidc_issuer"]:
        _check_provider(values)
    if values["admin_listen"]:
        second = listen_address(values["admin_listen"])[1]
        if second and second == values["port"]:  # addresses are told apart by their ports
            raise bad_parameter("admin_listen", "the collector", "another port than that of members", second)
    if values["page_origin"] and not _is_origin(values["page_origin"]):
        must_be = "an origin, such as https://pages.example.net, without a path"
        raise bad_parameter("page_origin", "the collector", must_be, values["page_origin"])
    return Settings(**values)


def _is_address(text: str) -> bool:
    """Whether this is an address on the web."""
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False


def _check_provider(values: Mapping[str, Any]) -> None:
    """Refuse a provider that cannot be believed, or that nobody would come back from."""
    for name in ("oidc_issuer", "oidc_redirect"):
        try:
            address(values[name])
        except WireError:
            raise bad_parameter(
                name, "the collector", "an https address, or one of this machine", values[name]
            ) from None
    if not values["oidc_client_id"]:
        raise bad_parameter("oidc_client_id", "the collector", "what the provider knows it as", "")


def listen_address(text: str) -> tuple[str, int]:
    """The host and the port of an address to listen on."""
    host, _, port = text.rpartition(":")
    if not host or not (port.isascii() and port.isdigit()) or int(port) > 65535:
        raise bad_parameter("admin_listen", "the collector", "an address and a port, such as 127.0.0.1:8471", text)
    return host.removeprefix("[").removesuffix("]"), int(port)


def _is_origin(text: str) -> bool:
    """Whether this is an address of nothing but a host, as a browser names the origin of a page."""
    try:
        return address(text) == text and not urlsplit(text).path
    except WireError:
        return False


def parse_pairs(pairs: Iterable[str]) -> dict[str, str]:
    """``NAME=VALUE`` pairs of the command line."""
    found = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or name not in _BY_NAME:
            raise ParameterError(f"A setting must be NAME=VALUE with one of: {', '.join(_BY_NAME)}.")
        found[name] = value
    return found
