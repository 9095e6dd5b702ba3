import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type TestNode, TestStage } from "../support/cluster.js";
import { eventually } from "../support/eventually.js";
import { Ledger } from "../support/ledger.js";

const TYPE = "hostile";

const stage = new TestStage();
let node: TestNode;
let database: Ledger;

beforeAll(async () => {
  const { databaseUrl } = await stage.services();
  database = await stage.add(new Ledger(databaseUrl));
  node = await stage.app({ databaseUrl, types: [TYPE] });
});
// Fails if the process has ended by itself.
afterAll(() => stage.stop());

interface Ending {
  state: "succeeded" | "dead";
  reason: string | null;
  /** The result as JSON; only its length if it is long. */
  result: string | null;
  lastError: string | null;
}

/** Runs tasks with these payloads, one attempt each, until all have ended. */
async function endsOf(payloads: readonly string[]): Promise<Ending[]> {
  const tasks = await node.client.scheduleMany(payloads.map((payload) => ({ type: TYPE, payload, maxAttempts: 1 })));
  const ids = `unnest('{${tasks.map(({ id }) => id).join(",")}}'::uuid[]) WITH ORDINALITY AS asked (id, place)`;
  const columns = `place, CASE state WHEN 2 THEN 'succeeded' WHEN 3 THEN 'dead' END AS state, reason, last_error AS "lastError",
    CASE WHEN length(result::text) < 1000 THEN result::text ELSE length(result::text)::text END AS result`;
  return eventually(async () => {
    const ended = await database.query<Ending>(
      `SELECT ${columns} FROM tickwheel.history JOIN ${ids} USING (id) UNION ALL
       SELECT ${columns} FROM tickwheel.task JOIN ${ids} USING (id) WHERE state >= 2 ORDER BY place`,
    );
    expect(ended).toHaveLength(tasks.length);
    return ended;
  });
}

describe("whatever a handler does in a real application, its task ends and the node goes on", () => {
  test.each([
    ["message-object", "Error: [object Object]"],
    ["message-number", "Error: 5"],
    ["getters-that-throw", "Error: no\n"],
    ["revoked-proxy", "something was thrown that cannot be described"],
    ["trapped", "something was thrown that cannot be described"],
    ["undefined", ""],
    ["symbol", "Symbol(s)"],
    ["no-prototype", "something was thrown that cannot be described"],
    ["other-realm", "TypeError: far away\n"],
    ["retry-never", "RetryAtError: "],
    ["nul-and-surrogates", "Error: a\uFFFDb\uFFFDc\n"],
    ["huge", "Error: éééé"],
    ["then-throws", "Error: no\n"],
    ["revoked-result", "revoked"],
  ])(
    "a task ends and its node goes on when the handler throws, or returns what cannot be awaited: %s",
    async (payload, error) => {
      const [task] = await endsOf([payload]);
      expect(task).toMatchObject({ state: "dead", reason: "ATTEMPTS", lastError: expect.stringContaining(error) });
      expect(Buffer.byteLength(task!.lastError!)).toBeLessThanOrEqual(4_096);
    },
  );

  test.each([
    ["bigint", "The result has no JSON: TypeError"],
    ["circle", "The result has no JSON: TypeError"],
    ["to-json-throws", "The result has no JSON: Error: no"],
    ["deep", "nested deeper than 1000 levels"],
    ["too-deep-for-json", "The result has no JSON: RangeError"],
    ["two-megabytes", "larger than 1048576 bytes of JSON (resultLimitBytes): it has at least 2000002"],
    ["hundreds-of-megabytes", "larger than 1048576 bytes"],
  ])(
    "a task ends and its node goes on when the handler returns a value that cannot be stored: %s",
    async (payload, error) => {
      const [task] = await endsOf([payload]);
      expect(task).toMatchObject({
        state: "dead",
        reason: "RESULT_INVALID",
        lastError: expect.stringContaining(error),
      });
    },
  );

  test.each([
    ["function", null],
    ["text", String.raw`"nul \u0000, surrogate \ud800"`],
  ])(
    "a task ends and its node goes on when the handler returns a value that JSON changes: %s",
    async (payload, result) => {
      expect(await endsOf([payload])).toMatchObject([{ state: "succeeded", result }]);
    },
  );

  test("a hundred results that are too large, and a hundred large ones, stop no other task", async () => {
    const large = Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? "two-megabytes" : "a-megabyte"));
    const ended = await endsOf([...large, "fine"]);
    expect(ended.map(({ state, result }) => [state, result])).toEqual([
      ...large.map((payload) => (payload === "a-megabyte" ? ["succeeded", "1000002"] : ["dead", null])),
      ["succeeded", '"fine"'],
    ]);
  });
});
