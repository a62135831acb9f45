"""``graphldp collect community``: open, show, list, ask, label, rename, close, renew and delete communities."""

from __future__ import annotations

import typer

from graphldp.cli.collect.community import ask, close, create, delete, label, listing, rename, renew, show

app = typer.Typer(
    help="Open, show, list, ask, label, rename, close, renew and delete communities.", no_args_is_help=True
)
app.command(epilog=create.EPILOG)(create.create)
app.command(epilog=show.EPILOG)(show.show)
app.command("list", epilog=listing.EPILOG)(listing.list_)
app.command("ask", epilog=ask.EPILOG)(ask.ask_)
app.command(epilog=close.EPILOG)(close.close)
app.command(epilog=renew.EPILOG)(renew.renew)
app.command("label", epilog=label.EPILOG)(label.label_)
app.command(epilog=rename.EPILOG)(rename.rename)
app.command(epilog=delete.EPILOG)(delete.delete)
