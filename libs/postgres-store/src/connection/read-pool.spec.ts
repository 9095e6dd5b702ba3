import { describe, expect, test } from "@jest/globals";
import type { PostgresDatabase } from "./postgres-database.js";
import { MAX_READS_OF_NAMESPACE, MAX_WAITING_READS } from "./read-places.js";
import { READ_CONNECTIONS, ReadPool, type Reads } from "./read-pool.js";
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
  test("reads of a namespace wait for one read of each other namespace, not for all that another namespace has sent", async () => {
    const { pool, ask, askMany, served } = scene();
    askMany(pool.of("flood"), "flood", 50);
    askMany(pool.of("honest"), "honest", 2);
    ask(pool.of(null), "cluster");
    ask(pool, "node");
    const order = await served(9);
    expect(order).toEqual(["flood", "flood", "flood", "honest", "cluster", "node", "flood", "honest", "flood"]);
  });

  test("reads are refused beyond half of the places for one namespace, and other namespaces find places", async () => {
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

  test("reads wait for one read of each other caller of their namespace, not for all that another caller has sent", async () => {
    const { pool, ask, askMany, served } = scene();
    askMany(pool.of("shared", "flood"), "flood", 40);
    askMany(pool.of("shared", "honest"), "honest", 2);
    ask(pool.of("other", "flood"), "other");
    ask(pool.of("shared"), "application");
    const order = await served(9);
    expect(order).toEqual([...Array(3).fill("flood"), "other", "honest", "application", "flood", "honest", "flood"]);
  });

  test("reads of one caller are refused beyond half of what its namespace may have, and its other callers find places", async () => {
    const { pool, askMany, refusals } = scene();
    const most = MAX_READS_OF_NAMESPACE / 2;
    for (const caller of ["first", "second", "third"]) askMany(pool.of("shared", caller), caller, most + 10);
    await Promise.resolve();
    const refusedOf = (caller: string) => refusals.filter((text) => text.startsWith(caller)).length;
    expect(refusedOf("first")).toBe(10);
    expect(refusals[0]).toContain(`This node has ${most} reads of this key under way`);
    askMany(pool.of("shared", "late"), "late", 1);
    await Promise.resolve();
    expect(refusedOf("late")).toBe(0);
  });

  test("reads of one caller are fewer where other namespaces leave fewer to its own, and one in any case", async () => {
    const { pool, askMany, refusals } = scene();
    for (const flood of ["one", "other"]) askMany(pool.of(flood), flood, MAX_READS_OF_NAMESPACE);
    await Promise.resolve();
    refusals.length = 0;
    // The floods have 100 and 80, so this namespace may have 16 of the last 20.
    askMany(pool.of("shared", "caller"), "caller", 30);
    await Promise.resolve();
    expect(refusals).toHaveLength(22);
    askMany(pool.of("third"), "third", 8);
    askMany(pool.of("shared", "late"), "late", 1);
    await Promise.resolve();
    expect(refusals).toHaveLength(22);
  });

  test("reads of the node itself have places of their own", async () => {
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

  test("reads that may take long leave a connection to the other reads", () => {
    const { pool, ask, running } = scene();
    for (let place = 0; place < READ_CONNECTIONS + 3; place++) ask(pool.of("flood"), "long", LONG);
    expect(running).toHaveLength(READ_CONNECTIONS - 1);
    ask(pool.of("honest"), "honest");
    expect(running.map(({ name }) => name)).toEqual(["long", "honest"]);
  });
});
