"""Pages from templates: those of members and operators, and the one for whatever goes wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, select_autoescape

from graphldp.collector.dashboard import views
from graphldp.collector.operators import Session
from graphldp.collector.roles import Role
from graphldp.collector.settings import Settings
from graphldp.labels import promise

_TEMPLATES = Path(__file__).with_name("templates")
_MAIL = re.compile(r"[^\s@/:]+@[^\s@/:]+")
_WHAT_TO_DO = {
    401: "Open the link of your invitation, whole, or ask who invited you for a new one.",
    403: "Go back, load the page again, and try once more.",
    404: "The address may be mistyped. If you were invited, open the link that you were sent.",
    405: "Go back to the start and take the way from there.",
    429: "Wait a minute, then load this page again.",
}
_BY_KIND = {"not-allowed": "Ask an administrator to do it, or to give you that role."}
_LATER = "This is not your fault. Try again in a few minutes."


class Pages:
    """All templates, and what stands on each page.

    Args:
        settings: who runs this server, and how to reach them.
    """

    def __init__(self, settings: Settings) -> None:
        self._environment = Environment(loader=FileSystemLoader(_TEMPLATES), autoescape=select_autoescape())
        self._environment.filters |= {"percent": views.percent, "fine": views.fine, "counted": views.counted}
        self._environment.filters |= {"moment": views.moment, "promise": promise}
        contact = settings.contact.strip()
        link = f"mailto:{contact}" if _MAIL.fullmatch(contact) else contact if contact.startswith("https://") else None
        self._host = {"run_by": settings.run_by.strip(), "contact": contact, "contact_link": link}

    def render(self, name: str, session: Session | None = None, **values: Any) -> str:
        """A page."""
        role = 0 if session is None else session.actor.role  # nobody is shown what her role does not let her press
        may = {"may_act": role >= Role.OPERATOR, "may_administer": role >= Role.ADMINISTRATOR}
        return self._environment.get_template(name).render(session=session, **may, **self._host, **values)

    def problem(self, body: Mapping[str, Any], session: Session | None = None) -> str:
        """A problem, for people."""
        status, kind = body["status"], body["type"].rpartition(":")[2]
        todo = _BY_KIND.get(kind) or _WHAT_TO_DO.get(status, _LATER if status >= 500 else "Go back and try again.")
        back = "/" if session is None else "/dashboard"
        about = {"title": body["title"], "detail": body.get("detail"), "status": status}
        return self.render("problem.html", session, todo=todo, back=back, **about)
