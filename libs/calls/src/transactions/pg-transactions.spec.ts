import { EventEmitter } from "node:events";
import { expect, test } from "@jest/globals";
import { type PgClient, pgTransactions } from "./pg-transactions.js";

/** A pool of one client, which refuses one statement. */
class OneClient extends EventEmitter {
  readonly said: string[] = [];

  constructor(private readonly refused?: string) {
    super();
  }

  connect(): Promise<PgClient> {
    const client: PgClient = Object.assign(new EventEmitter(), {
      query: (sql: string) => {
        this.said.push(sql);
        return sql === this.refused ? Promise.reject(new Error(`no ${sql}`)) : Promise.resolve({ rows: [] });
      },
      release: (isBroken?: Error | boolean) => void this.said.push(isBroken ? "closed" : "given back"),
    });
    this.emit("acquire", client);
    return Promise.resolve(client);
  }
}

const fails = () => Promise.reject(new Error("no stock"));

test("work that succeeds is committed, and its client is given back", async () => {
  const pool = new OneClient();
  expect(await pgTransactions(pool).run(() => Promise.resolve(7))).toBe(7);
  expect(pool.said).toEqual(["BEGIN", "COMMIT", "given back"]);
});

test("work that fails is rolled back, and its error is told", async () => {
  const pool = new OneClient();
  await expect(pgTransactions(pool).run(fails)).rejects.toThrow("no stock");
  expect(pool.said).toEqual(["BEGIN", "ROLLBACK", "given back"]);
});

test("work that throws before it promises anything is rolled back, too", async () => {
  const pool = new OneClient();
  const work = (): never => {
    throw new Error("no stock");
  };
  await expect(pgTransactions(pool).run(work)).rejects.toThrow("no stock");
  expect(pool.said).toEqual(["BEGIN", "ROLLBACK", "given back"]);
});

test.each(["BEGIN", "COMMIT"])("a client that refuses %s is closed", async (refused) => {
  const pool = new OneClient(refused);
  await expect(pgTransactions(pool).run(() => Promise.resolve())).rejects.toThrow(`no ${refused}`);
  expect(pool.said.at(-1)).toBe("closed");
});

test("a client that cannot roll back is closed, and the error of the work is told", async () => {
  const pool = new OneClient("ROLLBACK");
  await expect(pgTransactions(pool).run(fails)).rejects.toThrow("no stock");
  expect(pool.said).toEqual(["BEGIN", "ROLLBACK", "closed"]);
});

test("an error event of a connection between two statements ends nothing", async () => {
  const pool = new OneClient();
  const adapter = pgTransactions(pool);
  pgTransactions(pool);
  await adapter.run((client) => {
    const connection = client as unknown as EventEmitter;
    expect(connection.listenerCount("error")).toBe(1);
    connection.emit("error", new Error("terminated"));
    return Promise.resolve();
  });
});
