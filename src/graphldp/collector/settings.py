"""Settings: one table of (name, default, help), each an environment variable and a ``--set`` of ``graphldp serve``."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import platformdirs

from graphldp.collector.communities.disclosure import MIN_REPORTS
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


TABLE: tuple[Setting, ...] = (
    Setting("database", "", "Where reports are kept: sqlite:///file.db or postgresql://user@host/name."),
    Setting("host", "127.0.0.1", "The address to listen on. Anything but loopback belongs behind TLS."),
    Setting("port", 8470, "The port to listen on; 0 takes a free one and prints it."),
    Setting(
        "admin_listen",
        "",
        "A second address for operators, such as 127.0.0.1:8471: dashboard, API and metrics are only there.",
    ),
    Setting("trusted_proxies", "127.0.0.1", "Proxies whose X-Forwarded-For is believed, by address."),
    Setting("address_per_minute", 600, "Requests a minute from one address (one /64 in IPv6); 0 is no limit."),
    Setting("token_per_minute", 30, "Requests a minute with one token; 0 is no limit."),
    Setting("connections", 1000, "Connections at a time; more are answered 503."),
    Setting("address_connections", 50, "Connections at a time from one address, other than a proxy; 0 is no limit."),
    Setting("header_seconds", 10.0, "How long a request's head may take to arrive."),
    Setting("body_seconds", 20.0, "How long a body may take to arrive."),
    Setting("answer_seconds", 10.0, "How long a client may take to read 64 KB of an answer."),
    Setting("batch_items", 2000, "Reports in one batch."),
    Setting("batch_bytes", 16_000_000, "Bytes in one batch."),
    Setting("held_bytes", 64_000_000, "Bytes of unfinished bodies at a time, of batches and of reports each."),
    Setting(
        "erase_seconds",
        600.0,
        "How long the bytes of withdrawn reports may stay in the database's files; nothing reads them.",
    ),
    Setting("page_origin", "", "Where somebody else hosts the page for members, such as https://pages.example.net."),
    Setting("run_by", "", "Who runs this collector, as its front page says."),
    Setting("contact", "", "How to reach them: an address for mail, or of a page."),
    Setting(
        "min_reports",
        MIN_REPORTS,
        "A community with fewer reports is not shown, trained on or exported.",
    ),
    Setting(
        "oidc_issuer", "", "An OpenID Connect provider by which operators sign in, such as https://id.example.org."
    ),
    Setting("oidc_client_id", "", "What the provider knows this collector as."),
    Setting("oidc_client_secret", "", "The secret that the provider gave it, if any."),
    Setting("oidc_redirect", "", "Where browsers reach the dashboard, such as https://reports.example.org."),
    Setting("models", "", "The folder for models that jobs train; by default 'models' beside an SQLite file."),
    Setting("session_hours", 12.0, "How long an operator stays logged in."),
    Setting("shutdown_seconds", 20.0, "How long requests under way may take to end after SIGTERM."),
    Setting("log_level", "info", "debug, info, warning or error."),
    Setting("log_format", "text", "text, or json: one object for each line."),
    Setting("traces", "", "Where OpenTelemetry traces go, such as http://127.0.0.1:4318/v1/traces."),
)
_BY_NAME = {setting.name: setting for setting in TABLE}


@dataclass(frozen=True)
class Settings:
    """The settings' values; see :data:`TABLE` for what each means."""

    database: str
    host: str
    port: int
    admin_listen: str
    trusted_proxies: str
    address_per_minute: int
    token_per_minute: int
    connections: int
    address_connections: int
    header_seconds: float
    body_seconds: float
    answer_seconds: float
    batch_items: int
    batch_bytes: int
    held_bytes: int
    erase_seconds: float
    page_origin: str
    run_by: str
    contact: str
    min_reports: int
    oidc_issuer: str
    oidc_client_id: str
    oidc_client_secret: str
    oidc_redirect: str
    models: str
    session_hours: float
    shutdown_seconds: float
    log_level: str
    log_format: str
    traces: str


def load_settings(
    given: Mapping[str, str | None] | None = None, environment: Mapping[str, str] = os.environ
) -> Settings:
    """Defaults, overruled by the environment, overruled by what was given.

    Args:
        given: values as text, by name; None leaves a setting alone.
        environment: variables.
    """
    values: dict[str, Any] = {}
    for setting in TABLE:
        text = (given or {}).get(setting.name)
        text = environment.get(setting.variable) if text is None else text
        values[setting.name] = setting.default if text is None else setting.parse(text)
    values["database"] = values["database"] or default_database()
    if values["log_level"] not in ("debug", "info", "warning", "error"):
        raise bad_parameter("log_level", "the collector", "debug, info, warning or error", values["log_level"])
    if values["log_format"] not in ("text", "json"):
        raise bad_parameter("log_format", "the collector", "text or json", values["log_format"])
    if values["traces"] and not _is_address(values["traces"]):
        raise bad_parameter("traces", "the collector", "an address, such as http://127.0.0.1:4318/v1/traces", "another")
    if values["connections"] < 1:
        raise bad_parameter("connections", "the collector", "a whole number ≥ 1", values["connections"])
    if values["port"] > 65535:
        raise bad_parameter("port", "the collector", "a port, 0 to 65535", values["port"])
    if values["oidc_issuer"]:
        _check_provider(values)
    if values["admin_listen"]:
        second = door(values["admin_listen"])[1]
        if second and second == values["port"]:  # doors are told apart by their ports
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


def door(text: str) -> tuple[str, int]:
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
