// What a peer does with a request: opens, runs, closes databases by name. The native peer (native-peer.py) speaks the same.

/** Answers one request at a time with plain data; never throws. */
export function makeServer(openSync) {
  const databases = new Map();
  const operations = {
    open({ name, path, options }) {
      databases.set(name, openSync(path, { timeout: 0, ...options }));
    },
    run({ name, sql, values = [] }) {
      const database = databases.get(name);
      const statement = database.prepare(sql);
      if (statement.reader) return statement.raw().all(...values);
      statement.run(...values);
      return [];
    },
    script({ name, sql }) {
      databases.get(name).exec(sql);
    },
    close({ name }) {
      databases.get(name).close();
      databases.delete(name);
    },
    serialize({ name }) {
      return databases.get(name).serialize().length;
    },
    residentBytes() {
      return process.memoryUsage().rss;
    },
  };
  return (request) => {
    try {
      const rows = operations[request.op](request);
      return rows === undefined ? { code: 'ok' } : { code: 'ok', rows };
    } catch (error) {
      const { name, message, code, resultCode, errno, path, syscall, mount, lock, holderPid, waitedMs } = error;
      return { code: code ?? name, message, type: name, resultCode, errno, path, syscall, mount, lock, holderPid, waitedMs };
    }
  };
}
