import { describe, expect, test } from "@jest/globals";
import type { PostgresDatabase } from "./postgres-database.js";
import { MAX_READS_OF_NAMESPACE, MAX_WAITING_READS, READ_CONNECTIONS, ReadPool, type Reads } from "./read-pool.js";
import type { Statement } from "./session.js";

const STATEMENT = { name: "a_read" } as Statement<string, string>;
const LONG = { statementTimeoutMs: 10_000 };

/** A pool whose statements end when the test says so. */
function scene() {
  const running: { name: string; end: () => void }[] = [];
  const run = (_statement: unknown, name: string): Promise<string[]> =>
    new Promise((resolve) => running.push({ name, end: () => resolve([name]) }));
  const side = { run, useApplicationName: () => undefined };
  const pool = new ReadPool({ applicationName: "node" } as PostgresDatabase, side as unknown as PostgresDatabase);
  const refusals: string[] = [];
  const ask = (reads: Reads, name: string, limits?: typeof LONG): void =>
    void reads.run(STATEMENT, name, limits).catch((error: Error) => refusals.push(`${name}: ${error.message}`));
  const askMany = (reads: Reads, name: string, count: number): void => {
    for (let place = 0; place < count; place++) ask(reads, name);
  };
  const endFirst = async (): Promise<string> => {
    const { name, end } = running.shift()!;
    end();
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    return name;
  };
  const served = async (count: number): Promise<string[]> => {
    const names: string[] = [];
    while (names.length < count) names.push(await endFirst());
    return names;
  };
  return { pool, ask, askMany, served, refusals, running };
}

describe("the reads of a node", () => {
  test("wait for one read of each other namespace, not for all that another one has sent", async () => {
    const { pool, ask, askMany, served } = scene();
    askMany(pool.of("flood"), "flood", 50);
    askMany(pool.of("honest"), "honest", 2);
    ask(pool.of(null), "cluster");
    ask(pool, "node");
    const order = await served(9);
    expect(order).toEqual(["flood", "flood", "flood", "honest", "cluster", "node", "flood", "honest", "flood"]);
  });

  test("are refused beyond half of the places for one namespace, and others find places", async () => {
    const { pool, ask, askMany, refusals } = scene();
    askMany(pool.of("flood"), "flood", MAX_READS_OF_NAMESPACE + 10);
    await Promise.resolve();
    expect(refusals).toHaveLength(10);
    for (const other of ["second", "third"]) askMany(pool.of(other), other, MAX_WAITING_READS);
    await Promise.resolve();
    for (let count = refusals.length, place = 0; place < 3; place++, count = refusals.length) {
      ask(pool.of(`honest ${place}`), "honest");
      await Promise.resolve();
      expect(refusals).toHaveLength(count);
    }
  });

  test("of the node itself have places of their own", async () => {
    const { pool, ask, askMany, refusals } = scene();
    for (let place = 0; place < 60; place++) askMany(pool.of(`flood ${place}`), "flood", MAX_READS_OF_NAMESPACE);
    await Promise.resolve();
    const before = refusals.length;
    ask(pool, "node");
    await Promise.resolve();
    expect(refusals).toHaveLength(before);
    askMany(pool, "node", MAX_WAITING_READS);
    await Promise.resolve();
    expect(refusals.slice(before)).toHaveLength(1);
  });

  test("that may take long leave a connection to the others", () => {
    const { pool, ask, running } = scene();
    for (let place = 0; place < READ_CONNECTIONS + 3; place++) ask(pool.of("flood"), "long", LONG);
    expect(running).toHaveLength(READ_CONNECTIONS - 1);
    ask(pool.of("honest"), "honest");
    expect(running.map(({ name }) => name)).toEqual(["long", "honest"]);
  });
});
