import { describe, expect, test } from "@jest/globals";
import { fits, type FilteredTask, possibleStates } from "./fits.js";
import type { TaskConditions } from "./task-filter.js";

const NOW = Date.UTC(2026, 10, 24, 6);
const A_TASK: FilteredTask = {
  id: "019a0000-0000-7000-8000-000000000001",
  type: "mail.send",
  state: "scheduled",
  key: null,
  keyLive: false,
  tags: [],
  batchId: null,
  createdAt: NOW - 1_000,
  scheduledAt: NOW + 1_000,
  dueAt: NOW + 1_000,
  startedAt: null,
  finishedAt: null,
  priority: 5,
  attempt: 0,
  lastError: null,
  errorPrint: null,
  reason: null,
  createdBy: "key:1",
  lastNode: null,
  schedule: null,
  outcomes: new Map(),
};
const FAILED = { lastError: "HttpError 503: 100% Of_All \\ gone" };
const KEYED = { key: "Order-1%_\\", keyLive: true };
const TAGGED = { tags: ["vip", "a,b"] };
const ENDED = { state: "dead" as const, finishedAt: NOW, startedAt: NOW - 10, reason: "ATTEMPTS" as const };

type Row = [filter: TaskConditions, task: Partial<FilteredTask>, isMeant: boolean];

const table: Record<string, Row[]> = {
  type: [
    [{ type: "mail.send" }, {}, true],
    [{ type: ["other", "mail.send"] }, {}, true],
    [{ type: "Mail.send" }, {}, false],
    [{ type: "mail" }, {}, false],
    [{ type: "mail.*" }, {}, true],
    [{ type: "mail.*" }, { type: "mail" }, false],
    [{ type: "mail.*" }, { type: "mailer" }, false],
    [{ not: { type: "mail.*" } }, {}, false],
    [{ not: { type: ["mail", "mailer"] } }, {}, true],
  ],
  states: [
    [{ states: ["scheduled"] }, {}, true],
    [{ states: ["dead", "running"] }, {}, false],
    [{ states: ["overdue"] }, { dueAt: NOW }, true],
    [{ states: ["overdue"] }, { dueAt: NOW + 1 }, false],
    [{ states: ["overdue"] }, { dueAt: NOW - 1, state: "paused" }, false],
    [{ states: ["failing"] }, {}, false],
    [{ states: ["failing"] }, { attempt: 1 }, true],
    [{ states: ["failing"] }, FAILED, true],
    [{ states: ["failing"] }, { ...FAILED, ...ENDED }, false],
    [{ states: ["waiting"] }, { state: "paused" }, true],
    [{ states: ["waiting"] }, { state: "running" }, false],
    [{ states: ["ended"] }, ENDED, true],
    [{ states: ["ended", "overdue"] }, {}, false],
  ],
  key: [
    [{ key: "Order-1%_\\" }, {}, false],
    [{ key: "Order-1%_\\" }, KEYED, true],
    [{ key: "order-1%_\\" }, KEYED, false],
    [{ key: "Order-1" }, KEYED, false],
    [{ key: "%" }, KEYED, false],
    [{ key: "a*" }, { key: "a*" }, true],
    [{ key: "a*" }, { key: "ab" }, false],
    [{ keyPrefix: "Order-" }, KEYED, true],
    [{ keyPrefix: "Order-" }, {}, false],
    [{ keyPrefix: "order-" }, KEYED, false],
    [{ keyPrefix: "rder-" }, KEYED, false],
    [{ keyPrefix: "%" }, KEYED, false],
  ],
  live: [
    [{ live: true }, {}, true],
    [{ live: false }, ENDED, true],
    [{ live: true }, { ...KEYED, state: "running" }, true],
    [{ live: true }, { ...KEYED, state: "running", keyLive: false }, false],
  ],
  tag: [
    [{ tag: "vip" }, {}, false],
    [{ tag: "vip" }, TAGGED, true],
    [{ tag: "Vip" }, TAGGED, false],
    [{ tag: "vi" }, TAGGED, false],
    [{ tag: ["vip", "a,b"] }, TAGGED, true],
    [{ tag: ["vip", "x"] }, TAGGED, false],
    [{ not: { tag: "vip" } }, {}, true],
    [{ not: { tag: "vip" } }, TAGGED, false],
    [{ not: { tag: ["x", "vip"] } }, TAGGED, false],
    [{ not: { tag: "vi" } }, TAGGED, true],
  ],
  ids: [
    [{ id: A_TASK.id }, {}, true],
    [{ id: ["019a0000-0000-7000-8000-000000000002"] }, {}, false],
    [{ batch: "019a0000-0000-7000-8000-00000000000b" }, {}, false],
    [{ batch: "019a0000-0000-7000-8000-00000000000b" }, { batchId: "019a0000-0000-7000-8000-00000000000b" }, true],
  ],
  instants: [
    [{ createdFrom: NOW - 1_000 }, {}, true],
    [{ createdFrom: NOW - 999 }, {}, false],
    [{ createdTo: NOW - 1_000 }, {}, false],
    [{ createdTo: NOW - 999 }, {}, true],
    [{ dueFrom: NOW, dueTo: NOW + 1_001 }, {}, true],
    [{ scheduledTo: NOW + 1_000 }, {}, false],
    [{ scheduledFrom: NOW + 1_000 }, {}, true],
    [{ startedTo: NOW }, {}, false],
    [{ startedFrom: NOW - 10 }, ENDED, true],
    [{ finishedFrom: 0 }, {}, false],
    [{ finishedTo: NOW }, ENDED, false],
    [{ finishedTo: NOW + 1 }, ENDED, true],
  ],
  numbers: [
    [{ priorityFrom: 5, priorityTo: 5 }, {}, true],
    [{ priorityFrom: 6 }, {}, false],
    [{ priorityTo: 4 }, {}, false],
    [{ attemptFrom: 0, attemptTo: 0 }, {}, true],
    [{ attemptFrom: 1 }, {}, false],
  ],
  node: [
    [{ node: "10.0.0.1:1" }, {}, false],
    [{ node: "10.0.0.1:1" }, { lastNode: "10.0.0.1:1" }, true],
    [{ node: "10.0.0.1" }, { lastNode: "10.0.0.1:1" }, false],
    [{ not: { node: "10.0.0.1:1" } }, {}, true],
    [{ not: { node: "10.0.0.1:1" } }, { lastNode: "10.0.0.1:1" }, false],
  ],
  error: [
    [{ error: "503" }, {}, false],
    [{ error: "503" }, FAILED, true],
    [{ error: "httperror" }, FAILED, true],
    [{ error: "100% of_all \\" }, FAILED, true],
    [{ error: "50%" }, FAILED, false],
    [{ not: { error: "503" } }, {}, true],
    [{ not: { error: "HTTP" } }, FAILED, false],
  ],
  fingerprint: [
    [{ fingerprint: "0000000000ff" }, {}, false],
    [{ fingerprint: "0000000000ff" }, { errorPrint: 255 }, true],
    [{ fingerprint: ["000000000001", "ffffffffffff"] }, { errorPrint: 2 ** 48 - 1 }, true],
    [{ fingerprint: "000000000000" }, { errorPrint: 0 }, true],
    [{ fingerprint: "000000000000" }, {}, false],
  ],
  reason: [
    [{ reason: "ATTEMPTS" }, {}, false],
    [{ reason: ["CRASHES", "ATTEMPTS"] }, ENDED, true],
    [{ reason: "CRASHES" }, ENDED, false],
    [{ not: { reason: "ATTEMPTS" } }, {}, true],
    [{ not: { reason: "ATTEMPTS" } }, ENDED, false],
  ],
  createdBy: [
    [{ createdBy: ["key:2", "key:1"] }, {}, true],
    [{ createdBy: "key:" }, {}, false],
    [{ createdBy: "Key:1" }, {}, false],
    [{ not: { createdBy: "key:1" } }, {}, false],
    [{ not: { createdBy: "key:2" } }, {}, true],
  ],
};

describe.each(Object.entries(table))("a filter by %s", (_name, rows) => {
  test.each(rows)("the filter %j lets in a task with %j: %s", (filter, task, isMeant) => {
    expect(fits({ ...A_TASK, ...task }, filter, NOW)).toBe(isMeant);
  });
});

test("all that a filter says must hold of a task that fits", () => {
  const filter: TaskConditions = { type: "mail.send", states: ["scheduled"], not: { tag: "vip" } };
  expect(fits(A_TASK, {}, NOW)).toBe(true);
  expect(fits(A_TASK, filter, NOW)).toBe(true);
  for (const other of [{ type: "b" }, { state: "paused" as const }, TAGGED])
    expect(fits({ ...A_TASK, ...other }, filter, NOW)).toBe(false);
});

test("the states that a filter lets in are those that its words mean", () => {
  expect(possibleStates({ states: ["dead", "failing", "overdue"] })).toEqual(["scheduled", "dead"]);
  expect(possibleStates({ states: ["ended"], live: true })).toEqual([]);
  expect(possibleStates({ live: true })).toEqual(["scheduled", "paused", "running"]);
  expect(possibleStates({ live: false })).toHaveLength(7);
});
