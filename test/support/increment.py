# The same as increment.mjs, by native SQLite. Arguments: path or file: URI, name, number of transactions.

import sqlite3
import sys

path, who, times = sys.argv[1], sys.argv[2], int(sys.argv[3])
db = sqlite3.connect(path, timeout=60, isolation_level=None, uri=path.startswith("file:"))
db.execute("PRAGMA wal_autocheckpoint=20").fetchall()
print("ready", flush=True)
sys.stdin.readline()
committed = 0
for _ in range(times):
    db.execute("BEGIN IMMEDIATE")
    n = db.execute("SELECT n FROM counter").fetchone()[0] + 1
    db.execute("INSERT INTO log (n, who) VALUES (?, ?)", (n, who))
    db.execute("UPDATE counter SET n = ?", (n,))
    db.execute("COMMIT")
    committed += 1
db.close()
print(committed, flush=True)
