# The same as crash-maker.mjs, by native SQLite. Arguments: database, `hot-journal` or `abandoned-wal`.

import os
import signal
import sqlite3
import sys

path, what = sys.argv[1:]
db = sqlite3.connect(path, timeout=0, isolation_level=None)
db.execute("PRAGMA cache_size=5")
if what == "abandoned-wal":
    db.execute("PRAGMA wal_autocheckpoint=0").fetchall()
    for _ in range(20):
        db.execute("UPDATE t SET v = v + 1")
db.execute("BEGIN")
db.execute("UPDATE t SET v = v + 1000")
os.kill(os.getpid(), signal.SIGKILL)
