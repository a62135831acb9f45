"""``graphldp collect operator``: who may log in, and do what."""

from __future__ import annotations

import typer

from graphldp.cli.collect.operator import add, allow, disallow, listing, remove, role, rotate

app = typer.Typer(help="Decide who may use the dashboard and the API, and what they may do.", no_args_is_help=True)
app.command(epilog=add.EPILOG)(add.add)
app.command(epilog=rotate.EPILOG)(rotate.rotate)
app.command("role", epilog=role.EPILOG)(role.role_)
app.command(epilog=remove.EPILOG)(remove.remove)
app.command(epilog=allow.EPILOG)(allow.allow)
app.command(epilog=disallow.EPILOG)(disallow.disallow)
app.command("list", epilog=listing.EPILOG)(listing.list_)
