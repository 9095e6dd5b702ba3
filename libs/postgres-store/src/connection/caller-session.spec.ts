import { expect, test } from "@jest/globals";
import { callerSession, rowsOf } from "./caller-session.js";
import type { QuotedSchema } from "./session.js";

const rows = [{ id: 1 }, { id: 2 }];

test.each([
  ["a SELECT of TypeORM", rows, rows],
  ["an UPDATE … RETURNING of TypeORM", [rows, 2], rows],
  ["one that changed nothing", [[], 0], []],
  ["a pg client", { rows, rowCount: 2 }, rows],
  ["nothing at all", undefined, []],
])("the rows of %s are found", (_, answer, expected) => {
  expect(rowsOf(answer)).toEqual(expected);
});

const named = (name: string, message: string): Error => Object.assign(new Error(message), { name });

test.each<[string, Error, RegExp]>([
  ["was released by TypeORM", named("QueryRunnerAlreadyReleasedError", "Query runner already released."), /is over/],
  ["was committed by Kysely", new Error("Transaction is already committed"), /is over/],
  ["has failed", Object.assign(new Error("current transaction is aborted"), { code: "25P02" }), /savepoint/],
])("a transaction that %s is said to be at fault", async (_, error, message) => {
  const session = callerSession({ query: () => Promise.reject(error) }, '"tickwheel"' as QuotedSchema);
  const run = session.run({ name: "any", sql: () => "SELECT 1", values: () => [], read: () => true }, null);
  await expect(run).rejects.toMatchObject({
    code: "TRANSACTION_UNAVAILABLE",
    message: expect.stringMatching(message),
  });
});
