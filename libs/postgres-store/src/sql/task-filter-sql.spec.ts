import { expect, test } from "@jest/globals";
import type { TaskConditions } from "@tickwheel/core";
import { conditionsOf, filterColumns, hasConditions, typeCondition } from "./task-filter-sql.js";

const HOSTILE = "'; DROP TABLE task --";
const VALUES = { type: [HOSTILE, `${HOSTILE}*`], tag: [HOSTILE], node: HOSTILE, error: HOSTILE, createdBy: HOSTILE };
const FILTER: TaskConditions = {
  ...VALUES,
  states: ["overdue", "failing"],
  key: HOSTILE,
  keyPrefix: HOSTILE,
  live: false,
  id: [HOSTILE],
  batch: HOSTILE,
  createdFrom: 1,
  finishedTo: 2,
  priorityFrom: 3,
  attemptTo: 4,
  reason: ["ATTEMPTS"],
  fingerprint: "0123456789ab",
  not: VALUES,
};

function textOf(filter: TaskConditions, row?: string): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const parameter = (value: unknown, type: string): string => `$${values.push(value)}::${type}`;
  const conditions = conditionsOf('"tickwheel"', filter, { parameter, row, now: () => "(SELECT now FROM clock)" });
  return { text: conditions + typeCondition(filter, parameter), values };
}

test("no value of a task filter stands in the text of the SQL", () => {
  const { text, values } = textOf(FILTER);
  expect(text).not.toContain("DROP");
  expect(new Set(text.match(/\$\d+/g)).size).toBe(values.length);
  expect(values.filter((value) => JSON.stringify(value).includes("DROP"))).toHaveLength(16);
});

test("each column that a task filter with an alias reads is the aliased row's", () => {
  const { text } = textOf(FILTER, "t");
  const columns = filterColumns(FILTER).split(", ");
  expect(columns).toEqual(
    expect.arrayContaining(["due_at", "attempt", "last_error", "error_print", "batch_id", "created_by"]),
  );
  for (const column of columns) expect(text).toMatch(new RegExp(`\\bt\\.${column}\\b`));
  const own = new RegExp(String.raw`(?<![\w.])(${columns.filter((column) => column !== "id").join("|")})\b(?!")`, "g");
  expect(text.match(own)).toBeNull();
});

test("the caller and the page of a task filter are no conditions", () => {
  const page = { namespace: "default", caller: "key:1", limit: 10, after: "x", maxBytes: 1, tab: "dead" } as const;
  expect(hasConditions({ ...page, type: undefined })).toBe(false);
  expect(hasConditions({ ...page, not: { tag: "vip" } })).toBe(true);
});
