import { expect, test } from "@jest/globals";
import type { Task } from "../api/wire.js";
import { taskName } from "./task-name.js";

const id = "0199c0de-0000-7000-8000-000000000001";
const at = Date.parse("2026-11-21T03:30:00.000Z");
const sources = {
  scheduleName: (scheduleId: string) => (scheduleId === "s-1" ? "report" : undefined),
  instantText: (instant: number) => new Date(instant).toISOString().slice(0, 16),
};
const textOf = (task: Parameters<typeof taskName>[0], otherwise?: "payload") => taskName(task, sources, otherwise).text;

test("a task is called by its key, and without one by its id", () => {
  expect(taskName({ id, key: "order-1" }, sources)).toEqual({ text: "order-1", whole: "order-1", isCode: true });
  expect(taskName({ id, key: null }, sources)).toEqual({ text: id, whole: id, isCode: true });
});

test.each<[string, string]>([
  ["schedule:s-1", "report, 2026-11-21T03:30"],
  [`schedule:s-1:${at + 60_000}`, "report, 2026-11-21T03:31"],
  [`schedule:s-1:backfill:${at - 60_000}`, "report, 2026-11-21T03:29"],
  ["schedule:s-2", "a schedule that is not known (s-2), 2026-11-21T03:30"],
])("the task of a schedule with the key %s is called %s", (key, text) => {
  const task = { id, key, scheduledAt: new Date(at).toISOString() };
  expect(taskName(task, sources)).toEqual({ text, whole: key, isCode: false });
});

test("a batch's member without a key is called by the first field of its payload", () => {
  const of = (payload: Task["payload"]) => textOf({ id, key: null, payload }, "payload");
  expect(of({ orderId: "4711", kind: "new" })).toBe("orderId: 4711");
  expect(of({ size: { width: 2 } })).toBe('size: {"width":2}');
  expect(of(["a.png"])).toBe("a.png");
  expect(of({ text: "x".repeat(200) })).toHaveLength(60);
  for (const payload of [{}, null, 7]) expect(of(payload)).toBe(id);
  expect(textOf({ id, key: "k", payload: { a: 1 } }, "payload")).toBe("k");
});
