"""The collector over HTTP: routes, limits, and the server that runs them."""
