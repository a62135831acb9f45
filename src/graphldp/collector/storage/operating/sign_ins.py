"""The list of who may sign in by OpenID Connect, and sign-ins that are under way.

A sign-in begins here and ends here, once: its state opens it a single time, within ten minutes, and only from the
browser that began it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import timedelta

from sqlalchemy import Connection, delete, insert, select

from graphldp.collector import tokens
from graphldp.collector.roles import Role
from graphldp.collector.storage import schema
from graphldp.collector.storage.clock import TimedPart
from graphldp.collector.storage.database import transaction
from graphldp.errors import bad_parameter

KINDS = ("subject", "email", "group")
_MINUTES = timedelta(minutes=10)
_MANY = 10_000  # sign-ins under way: anybody may begin one


@dataclass(frozen=True)
class SignedIn:
    """A person, as the provider says."""

    subject: str
    email: str | None = None
    groups: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of a person in the log; no operator's key is called so."""
        return f"oidc:{self.email or self.subject}"


@dataclass(frozen=True)
class SignIn:
    """A sign-in under way."""

    state: str
    browser: str
    nonce: str
    verifier: str


class SignIns(TimedPart):
    """The list, and what is under way."""

    def allow(self, kind: str, value: str, role: Role) -> None:
        """Let a subject, an e-mail address or a group sign in, with a role."""
        row = _rule(kind, value)
        table = schema.sign_in_rules
        with transaction(self.engine, writes=True) as connection:
            connection.execute(delete(table).where(*(table.c[name] == each for name, each in row.items())))
            connection.execute(insert(table).values(**row, role=role.title))

    def disallow(self, kind: str, value: str) -> None:
        """Take somebody from the list. Her sessions end with her next request."""
        row, table = _rule(kind, value), schema.sign_in_rules
        with transaction(self.engine, writes=True) as connection:
            where = (table.c[name] == each for name, each in row.items())
            if not connection.execute(delete(table).where(*where)).rowcount:
                raise bad_parameter(kind, "the collector", "one that may sign in", value)

    def rules(self) -> list[tuple[str, str, Role]]:
        """The list: kind, value and role."""
        with transaction(self.engine) as connection:
            return _rules(connection)

    def begin(self) -> SignIn:
        """Begin a sign-in."""
        made = SignIn(*(tokens.new_secret() for _ in range(4)))
        table, now = schema.sign_ins, self.clock.now()
        row = {
            "state_hash": tokens.hashed(made.state),
            "browser_hash": tokens.hashed(made.browser),
            "nonce": made.nonce,
            "verifier": made.verifier,
            "expires_at": now + _MINUTES,
        }
        with transaction(self.engine, writes=True) as connection:
            connection.execute(delete(table).where(table.c.expires_at <= now))
            one_more = select(table.c.state_hash).offset(_MANY).limit(1)
            if connection.execute(one_more).first() is not None:
                connection.execute(delete(table))  # a flood: whoever is in between begins anew
            connection.execute(insert(table).values(**row))
        return made

    def take(self, state: str, browser: str) -> SignIn | None:
        """The sign-in that a state opens, once; None for any other, or from another browser."""
        table = schema.sign_ins
        gone = delete(table).where(table.c.state_hash == tokens.hashed(state)).returning(*table.c)
        with transaction(self.engine, writes=True) as connection:
            row = connection.execute(gone).one_or_none()
        if row is None or row.expires_at <= self.clock.now():
            return None
        if not tokens.matches(tokens.hashed(browser), bytes(row.browser_hash)):
            return None
        return SignIn(state, browser, row.nonce, row.verifier)


def role_of(connection: Connection, person: SignedIn) -> Role | None:
    """The role of a person: the highest that the list gives her, or None where she is not on it."""
    hers = {("subject", person.subject), *(("group", each) for each in person.groups)}
    if person.email is not None:
        hers.add(("email", person.email.lower()))
    return max((role for kind, value, role in _rules(connection) if (kind, value) in hers), default=None)


def written(person: SignedIn) -> dict[str, object]:
    """A person as a session keeps her."""
    return asdict(person) | {"groups": list(person.groups)}


def read_person(fields: dict[str, object]) -> SignedIn:
    """The person that :func:`written` wrote."""
    groups = fields["groups"]
    email = fields["email"]
    return SignedIn(
        str(fields["subject"]),
        None if email is None else str(email),
        tuple(map(str, groups)) if isinstance(groups, list) else (),
    )


def _rules(connection: Connection) -> list[tuple[str, str, Role]]:
    table = schema.sign_in_rules
    rows = connection.execute(select(table).order_by(table.c.kind, table.c.value))
    return [(row.kind, row.value, Role.named(row.role)) for row in rows]


def _rule(kind: str, value: str) -> dict[str, str]:
    if kind not in KINDS:
        raise bad_parameter("kind", "a sign-in", f"one of {', '.join(KINDS)}", kind)
    if not 1 <= len(value) <= 320 or not value.isprintable():
        raise bad_parameter(kind, "a sign-in", "1 to 320 printable characters", value[:80])
    return {"kind": kind, "value": value.lower() if kind == "email" else value}
