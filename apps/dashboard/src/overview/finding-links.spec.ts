import { expect, test } from "@jest/globals";
import type { Finding } from "../api/wire.js";
import { linksOf } from "./finding-links.js";

const hrefs = (code: string, facts: Finding["facts"], seesNodes = true): string[] =>
  linksOf({ code, facts } as Finding, seesNodes).map(({ href }) => href);

test("a finding about a type that no node runs leads to its tasks and to the type", () => {
  expect(hrefs("TYPE_WITHOUT_NODE", { type: "a b" })).toEqual(["#/tasks/overdue?q=type:%22a+b%22", "#/types/a%20b"]);
});

test("a finding about a schedule leads to its page, one about many to the first three and to the list", () => {
  const facts = (schedules: readonly string[]): Finding["facts"] => ({ type: "report", schedules });
  expect(hrefs("SCHEDULE_PAUSED", facts(["report eu"]))).toEqual(["#/schedules/report%20eu", "#/types/report"]);
  expect(hrefs("SCHEDULE_UNANNOUNCED", facts(["a", "b", "c", "d"]))).toEqual([
    "#/schedules/a",
    "#/schedules/b",
    "#/schedules/c",
    "#/schedules",
    "#/types/report",
  ]);
  expect(hrefs("TYPE_WITHOUT_NODE", facts(["a"]))).toContain("#/schedules/a");
});

test("a finding about a batch leads to its page by its id, one about many to the first three and to the list", () => {
  const facts = (batches: string[], batchIds: string[]): Finding["facts"] => ({ batches, batchIds });
  expect(linksOf({ code: "BATCH_OVERDUE", facts: facts(["a b"], ["1"]) } as unknown as Finding, true)).toEqual([
    { text: "The batch", href: "#/batches/1" },
  ]);
  const ids = ["1", "2", "3", "4"];
  expect(hrefs("OPERATION_STOPPED", { operationId: "1" })).toEqual(["#/operations/1"]);
  expect(hrefs("BATCH_UNSEALED", facts(["a", "b", "c", "d"], ids))).toEqual([
    "#/batches/1",
    "#/batches/2",
    "#/batches/3",
    "#/batches",
  ]);
});

test("a finding about a type that fails leads to its dead tasks, too", () => {
  expect(hrefs("TYPE_FAILING", { type: "mail" })).toContain("#/tasks/dead?q=type:mail");
});

test("a finding about dead tasks leads to their cause, one about all further causes to the list of causes", () => {
  expect(hrefs("DEAD_TASKS", { type: "mail", fingerprint: "3f9c0a7be142" })).toEqual([
    "#/dead/mail/3f9c0a7be142",
    "#/types/mail",
  ]);
  expect(hrefs("DEAD_TASKS", { others: 7, isAtLeast: false })).toEqual(["#/dead"]);
});

test("a finding about overdue tasks of no known cause leads to all tasks that wait", () => {
  expect(hrefs("OVERDUE_UNEXPLAINED", { types: ["a", "b"] })).toEqual(["#/tasks/overdue"]);
});

test("a finding about a full limit leads to the tasks that wait for it, and to the type whose limit it is", () => {
  expect(hrefs("LIMIT_FULL", { type: "export", namespace: "shop" })).toEqual([
    "#/tasks/overdue?q=type:export",
    "#/types/export",
  ]);
  expect(hrefs("LIMIT_FULL", { type: null, namespace: "shop" })).toEqual(["#/tasks/overdue"]);
});

test("a finding about an open breaker leads to what has failed, what waits, and the type whose row closes it", () => {
  expect(hrefs("BREAKER_OPEN", { type: "feed", namespace: "shop" })).toEqual([
    "#/tasks/failing?q=type:feed",
    "#/tasks/overdue?q=type:feed",
    "#/types/feed",
  ]);
  expect(hrefs("HOST_SLOWED", { host: "api.example", namespace: "shop" })).toEqual([]);
});

test("a finding about a bucket over capacity leads to the time that it lies in", () => {
  expect(hrefs("FUTURE_OVER_CAPACITY", { bucketMs: 3_600_000 })).toEqual(["#/?ahead=24h"]);
  expect(hrefs("FUTURE_OVER_CAPACITY", { bucketMs: 60_000 })).toEqual(["#/?ahead=1h"]);
});

test("a finding's node is shown to users who may see it", () => {
  expect(hrefs("LOOP_BLOCKED", { node: "10.0.0.4:4711" })).toEqual(["#/?node=10.0.0.4%3A4711"]);
  expect(hrefs("LOOP_BLOCKED", { node: "10.0.0.4:4711" }, false)).toEqual([]);
});

test("a finding whose code this page does not know has no link of its own", () => {
  expect(hrefs("SOMETHING_NEW", {})).toEqual([]);
});
