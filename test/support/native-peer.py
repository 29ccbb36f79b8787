# The native peer: Python's sqlite3 module, which is the C library with its own unix VFS. Speaks as serve-requests.mjs does.

import json
import os
import sqlite3
import sys

databases = {}


def perform(request):
    op, name = request["op"], request.get("name")
    if op == "open":
        options = request.get("options") or {}
        uri = request["path"].startswith("file:")
        if name in databases:
            databases.pop(name).close()
        databases[name] = sqlite3.connect(
            request["path"], timeout=options.get("timeout", 0) / 1000, isolation_level=None, uri=uri
        )
    elif op == "run":
        return [list(row) for row in databases[name].execute(request["sql"], request.get("values") or [])]
    elif op == "script":
        # Not executescript(), which commits an open transaction first.
        for statement in filter(str.strip, request["sql"].split(";")):
            databases[name].execute(statement).fetchall()
    elif op == "close":
        databases.pop(name).close()
    elif op == "rawRead":
        # Opens and closes the file outside SQLite, which is what drops POSIX locks.
        with open(request["path"], "rb") as file:
            return len(file.read())
    elif op == "die":
        os.kill(os.getpid(), 9)
    else:
        raise ValueError(op)


for line in sys.stdin:
    try:
        rows = perform(json.loads(line))
        answer = {"code": "ok"} if rows is None else {"code": "ok", "rows": rows}
    except sqlite3.Error as error:
        answer = {"code": getattr(error, "sqlite_errorname", type(error).__name__), "message": str(error)}
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()
