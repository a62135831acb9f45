"""Actions of operators, one function each. The command line, the dashboard and the API call these, and nothing else.

Each takes the store, who acts, and what is meant. Where two operators act at once, the version that the second one saw
(``seen``) is no longer the community's: nothing is done, and she is told.
"""
