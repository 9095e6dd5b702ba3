/** A pool of connections of `pg`, as far as it is heard here. */
export interface ConnectionPool {
  on(event: "acquire", listener: (connection: object) => void): unknown;
}

interface Connection {
  on?(event: "error", listener: () => void): unknown;
}

const heardPools = new WeakSet<object>();

/**
 * Hears the errors of the connections that are taken from a pool. `pg` hears those of idle connections alone. The
 * server may end a handler's session between two statements, and an error event that nobody hears ends the process. The
 * next statement on that connection fails all the same.
 */
export function hearConnectionErrors(pool: ConnectionPool): void {
  if (heardPools.has(pool)) return;
  heardPools.add(pool);
  const heard = new WeakSet<object>();
  pool.on("acquire", (connection: Connection) => {
    if (heard.has(connection)) return;
    heard.add(connection);
    connection.on?.("error", () => undefined);
  });
}
