import { describe, expect, test } from "@jest/globals";
import { DEFAULT_OPTIONS, JsonSource, jsonTextOf, parseInstant } from "@tickwheel/core";
import type { ZodObject } from "zod";
import { defineTask } from "./define-task.js";
import { AllowedHosts, BrokerTargets } from "@tickwheel/executors";
import { checkInput, INPUTS, taskChangesInput, taskInput } from "@tickwheel/contract";
import { deliverFaults, inputOfCall, toTaskRequest } from "./task-request.js";

const { BackoffInput, DeliverInput, TaskInput, TaskChangesInput, TaskKeyInput } = INPUTS;
const TASK_INPUTS = { BackoffInput, DeliverInput, TaskInput, TaskChangesInput, TaskKeyInput };

function faultPaths(value: unknown): string[] {
  return checkInput(taskInput, value)
    .faults.map((fault) => fault.path)
    .sort();
}

describe("the task input", () => {
  test("a full input of a task is taken as it is", () => {
    const backoff = { kind: "exponential", initial: "2s", max: "1h", jitter: 0 };
    const deliver = { kind: "webhook", url: "https://example.com/hook", headers: { "x-tenant": "7" } };
    const value = {
      type: "order.cancel",
      payload: { a: [1, null] },
      delay: "15m",
      key: "42",
      onConflict: "merge",
      merge: { bytes: "add", size: "max" },
      maxWait: "1h",
      priority: 0,
      maxAttempts: 5,
      backoff,
      timeout: 30_000,
      startDeadline: "PT5M",
      idempotencyKey: "k",
      deliver,
      tags: ["shop:7", "vip"],
    };
    const { input, faults } = checkInput(taskInput, value);
    expect(faults).toEqual([]);
    expect(toTaskRequest(input, "default", "tester")).toMatchObject({
      type: "order.cancel",
      payload: jsonTextOf({ a: [1, null] }),
      due: { delayMs: 900_000 },
      key: "42",
      onConflict: "merge",
      reducers: { bytes: "add", size: "max" },
      maxWaitMs: 3_600_000,
      priority: 0,
      maxAttempts: 5,
      timeoutMs: 30_000,
      startDeadlineMs: 300_000,
      outbound: deliver,
      tags: ["shop:7", "vip"],
      backoff: { kind: "exponential", initialMs: 2_000, maxMs: 3_600_000, jitter: 0 },
    });
  });

  test("every fault of a task's input is named by its path, in one answer", () => {
    const value = {
      type: "a b",
      delay: "soon",
      key: "",
      onConflict: "mend",
      merge: { bytes: "sum" },
      maxWait: 0,
      priority: 10,
      maxAttempts: 0,
      colour: "red",
      backoff: { kind: "fixed", delay: -1, ladder: [] },
      deliver: { kind: "webhook", url: "ftp://x" },
      timeout: 0,
      startDeadline: 0,
    };
    expect(faultPaths(value)).toEqual([
      "backoff.delay",
      "backoff.ladder",
      "colour",
      "delay",
      "deliver.url",
      "key",
      "maxAttempts",
      "maxWait",
      "maxWait",
      "merge",
      "merge.bytes",
      "onConflict",
      "priority",
      "startDeadline",
      "timeout",
      "type",
    ]);
  });

  test.each([null, 5, "x", [], undefined])("%p is not a task", (value) => {
    expect(checkInput(taskInput, value).faults).toEqual([{ path: "", message: "must be an object" }]);
  });

  test("delay and scheduledAt exclude each other", () => {
    expect(faultPaths({ type: "t", delay: 5, scheduledAt: "2026-11-21T08:00:00Z" })).toEqual(["scheduledAt"]);
  });

  test.each(["key", "idempotencyKey", "deliver.url"])(
    "a NUL or half a character in %s is refused: no store could keep it apart",
    (path) => {
      for (const odd of ["\0", "\ud800", "\udc00x"]) {
        const text = `https://example.com/${odd}`;
        const value = path === "deliver.url" ? { deliver: { kind: "webhook", url: text } } : { [path]: text };
        expect(faultPaths({ type: "t", ...value })).toEqual([path]);
      }
    },
  );

  test("the name of a refused header is told cut", () => {
    const deliver = { kind: "webhook", url: "https://example.com", headers: { [`\0${"y".repeat(10_000)}`]: "1" } };
    const { faults } = checkInput(taskInput, { type: "t", deliver });
    expect(faults).toEqual([{ path: "deliver.headers", message: expect.stringMatching(/^.{1,120}$/) }]);
  });

  test("null in a task's input means absent", () => {
    expect(faultPaths({ type: "t", delay: null, scheduledAt: null, key: null, backoff: null, deliver: null })).toEqual(
      [],
    );
    const { input } = checkInput(taskInput, {
      type: "t",
      delay: null,
      backoff: { kind: "exponential", initial: null },
    });
    expect(toTaskRequest(input, "default", "tester")).toMatchObject({
      due: undefined,
      backoff: { initialMs: 1_000 },
    });
  });

  test("NUL is refused in a task's type, key and idempotency key", () => {
    expect(faultPaths({ type: "a\0", key: "b\0", idempotencyKey: "c\0" })).toEqual(["idempotencyKey", "key", "type"]);
  });

  test("a __proto__ field of a task's input is an unknown field and changes no prototype", () => {
    const value: unknown = JSON.parse('{"type":"t","__proto__":{"priority":1}}');
    expect(faultPaths(value)).toEqual(["__proto__"]);
    expect(checkInput(taskInput, value).input.priority).toBeUndefined();
  });

  test("a delay or a start deadline of a task beyond a hundred years is refused", () => {
    const tooLong = 100 * 366 * 86_400_000;
    expect(faultPaths({ type: "t", delay: tooLong, startDeadline: tooLong })).toEqual(["delay", "startDeadline"]);
  });

  test("every field of every input has a rule", () => {
    for (const input of Object.values<ZodObject>(TASK_INPUTS)) {
      const fields = Object.keys(input.shape);
      const value = Object.fromEntries(fields.map((field) => [field, Symbol("nothing that any rule takes")]));
      const ruled = new Set(checkInput(input, value).faults.map((fault) => fault.path));
      expect([...ruled].sort()).toEqual(fields.sort());
    }
  });

  test("no fault of an input hides another: not an unknown field, not one of a nested input, not a rule across fields", () => {
    const { faults } = checkInput(
      taskInput,
      {
        type: 7,
        delay: 5,
        scheduledAt: "tomorrow",
        priority: 10.5,
        colour: "red",
        backoff: { kind: "fixed", jitter: 2, ladder: 1 },
        deliver: [],
      },
      "tasks[3]",
    );
    expect(faults.map(({ path, message }) => `${path} ${message}`).sort()).toEqual([
      'tasks[3].backoff.delay must be a duration: milliseconds of at least 0, or a string such as "15m", "1h30m" or "PT15M"',
      "tasks[3].backoff.jitter must be at most 1",
      "tasks[3].backoff.ladder is not a known field",
      "tasks[3].colour is not a known field",
      "tasks[3].deliver must be an object",
      "tasks[3].priority must be an integer",
      "tasks[3].priority must be at most 9",
      'tasks[3].scheduledAt must be an ISO 8601 instant with offset, such as "2026-11-21T08:00:00Z"',
      "tasks[3].scheduledAt must not be given together with delay",
      "tasks[3].type must be 1 to 128 characters of A-Z a-z 0-9 . _ : -",
    ]);
  });

  test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
    "%s is an unknown field, also of a nested input",
    (field) => {
      const value = `{"type":"t","${field}":{},"deliver":{"kind":"webhook","url":"https://x/","${field}":{}}}`;
      expect(checkInput(taskInput, JSON.parse(value)).faults).toEqual([
        { path: `deliver.${field}`, message: "is not a known field" },
        { path: field, message: "is not a known field" },
      ]);
    },
  );

  test("fields that a task's input inherits are not its own", () => {
    const heir = Object.assign(Object.create({ priority: 11, colour: "red" }) as object, { type: "t", priority: 3 });
    expect(checkInput(taskInput, heir)).toEqual({ input: { type: "t", priority: 3 }, faults: [] });
    const backoff: unknown = Object.create({ kind: "exponential" });
    expect(faultPaths({ type: "t", backoff })).toEqual(["backoff.kind"]);
    expect(faultPaths(Object.create({ type: "t" }))).toEqual(["type"]);
  });
});

describe("merges", () => {
  const MERGE = { type: "t", key: "k", onConflict: "merge" };
  const faultsOf = (more: object): string[] =>
    checkInput(taskInput, { ...MERGE, ...more }).faults.map(({ path, message }) => `${path} ${message}`);

  test.each(["replace", "add", "append", "max", "min"])("%s is a reducer", (reducer) => {
    const { input, faults } = checkInput(taskInput, { ...MERGE, merge: { bytes: reducer } });
    expect(faults).toEqual([]);
    expect(toTaskRequest(input, "default", "tester")).toMatchObject({ reducers: { bytes: reducer } });
  });

  test("anything but a reducer is refused at its field, and the five that there are are told", () => {
    const merge = JSON.parse('{"a":"sum","b":null,"c":{},"ok":"add","__proto__":"Add"}') as object;
    const message = "must be one of replace, add, append, max, min";
    expect(faultsOf({ merge })).toEqual(["a", "b", "c", "__proto__"].map((name) => `merge.${name} ${message}`));
    expect(JSON.stringify(faultsOf({ merge: { a: "secret" } }))).not.toContain("secret");
  });

  test.each([[[]], [5], ["add"], [[["bytes", "add"]]]])("%j is no map of reducers", (merge) => {
    expect(faultsOf({ merge })).toEqual([
      'merge must be an object that names reducers by field, such as { "bytes": "add" }',
    ]);
  });

  const named = (count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, "add"]));

  test("64 fields with a reducer are taken, and not one more", () => {
    expect(faultsOf({ merge: named(64) })).toEqual([]);
    expect(faultsOf({ merge: named(65) })).toEqual(["merge must name at most 64 fields"]);
  });

  test("the name of a merged field may be empty, __proto__ or 256 characters, but not longer, and is text that stores keep", () => {
    const text = `{"":"add","__proto__":"max","${"x".repeat(256)}":"append"}`;
    const { input, faults } = checkInput(taskInput, { ...MERGE, merge: JSON.parse(text) as object });
    expect(faults).toEqual([]);
    expect(JSON.stringify(toTaskRequest(input, "default", "tester").reducers)).toBe(text);
    for (const name of ["x".repeat(257), "a\0", "\ud800"])
      expect(faultsOf({ merge: { [name]: "add" } })).toEqual([
        "merge must name fields by at most 256 characters, without NUL and lone surrogates",
      ]);
  });

  test.each([
    [{ onConflict: "refresh", merge: {} }, ["merge"]],
    [{ onConflict: undefined, merge: {}, maxWait: "1s" }, ["maxWait", "merge"]],
    [{ onConflict: "replace", maxWait: "1s" }, ["maxWait"]],
    [{ onConflict: "return", maxWait: "1s" }, ["maxWait"]],
    [{ key: undefined, merge: {}, maxWait: "1s" }, ["maxWait", "merge"]],
    [{ key: null, onConflict: "refresh", maxWait: "1s" }, ["maxWait"]],
    [{ key: null }, []],
    [{ onConflict: "refresh", maxWait: "1s" }, []],
    [{ merge: null, maxWait: null, onConflict: "reject" }, []],
    [{}, []],
  ])("reducers and a longest wait need a key and a policy that uses them: %j has faults at %j", (more, paths) => {
    expect(faultPaths({ ...MERGE, ...more })).toEqual(paths);
  });

  test.each([0, -1, "soon", 100 * 366 * 86_400_000, Number.NaN])("a longest wait is not %j", (maxWait) => {
    expect(faultPaths({ ...MERGE, maxWait })).toEqual(["maxWait"]);
  });

  test("reducers are read once, at the check: what their owner does afterwards changes nothing", () => {
    const merge: Record<string, string> = { bytes: "add" };
    const { input } = checkInput(taskInput, { ...MERGE, merge });
    merge.bytes = "max";
    expect(input.merge).toEqual({ bytes: "add" });
    const late = Object.defineProperty({}, "bytes", {
      enumerable: true,
      get: () => {
        throw new Error("no");
      },
    });
    expect(checkInput(taskInput, { ...MERGE, merge: late }).faults).toEqual([{ path: "", message: "cannot be read" }]);
  });
});

describe("instants", () => {
  test.each([
    ["2026-11-21T08:00:00Z", Date.UTC(2026, 10, 21, 8)],
    ["2026-11-21T08:00:00.123+02:00", Date.UTC(2026, 10, 21, 6, 0, 0, 123)],
    ["2028-02-29T00:00:00Z", Date.UTC(2028, 1, 29)],
  ])("the instant %p is read", (text, expected) => {
    expect(parseInstant(text)).toBe(expected);
  });

  test.each(["2026-11-21T08:00:00", "2026-11-21", "tomorrow", "2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z", 5, null])(
    "%p is refused as an instant",
    (text) => {
      expect(parseInstant(text)).toBeNull();
    },
  );

  test("a Date is taken as an instant where its ISO form would be", () => {
    const at = Date.UTC(2026, 10, 21, 8);
    const { input } = checkInput(taskInput, { type: "t", scheduledAt: new Date(at) });
    expect(toTaskRequest(input, "default", "tester").due).toEqual({ at });
    for (const date of [new Date(Number.NaN), new Date(Date.UTC(10_000, 0)), new Date(Date.UTC(-1, 0))])
      expect(faultPaths({ type: "t", scheduledAt: date })).toEqual(["scheduledAt"]);
  });
});

const brokers = new BrokerTargets({});
const scheduler = DEFAULT_OPTIONS;
const boundsOf = (hosts: string[]) => ({ webhookHosts: new AllowedHosts(hosts), brokers, scheduler });

describe("webhooks", () => {
  test("a webhook's URL that this node may not deliver to is a fault", () => {
    const { input } = checkInput(taskInput, { type: "t", deliver: { kind: "webhook", url: "http://example.com/x" } });
    const paths = deliverFaults(input, boundsOf([]), "tasks[2]").map((fault) => fault.path);
    expect(paths).toEqual(["tasks[2].deliver.url"]);
    expect(deliverFaults(input, boundsOf(["example.com:80"]))).toEqual([]);
  });

  test.each([
    [999, ["timeout"]],
    ["61s", ["timeout"]],
    ["1s", []],
    ["1m", []],
    [null, []],
  ])("a webhook's time-out of %p has the faults %p, that of a handler has none", (timeout, expected) => {
    const deliver = { kind: "webhook", url: "http://example.com/x" };
    const faultsOf = (value: object): string[] =>
      deliverFaults(checkInput(taskInput, value).input, boundsOf(["example.com:80"])).map(({ path }) => path);
    expect(faultsOf({ type: "t", timeout, deliver })).toEqual(expected);
    expect(faultsOf({ type: "t", timeout })).toEqual([]);
  });

  test("a webhook's time-out that is none is told once", () => {
    const { input, faults } = checkInput(taskInput, {
      type: "t",
      timeout: "soon",
      deliver: { kind: "webhook", url: "https://example.com/" },
    });
    expect([...faults, ...deliverFaults(input, boundsOf([]))].map(({ path }) => path)).toEqual(["timeout"]);
  });

  test.each([
    "Webhook-Id",
    "Host",
    "content-length",
    "Connection",
    "keep-alive",
    "Transfer-Encoding",
    "TE",
    "Trailer",
    "Upgrade",
    "Expect",
    "Accept-Encoding",
    "proxy-connection",
    "",
    "a b",
    "a:b",
    "ä",
    "x".repeat(129),
  ])("a webhook's header named %j cannot be given", (name) => {
    const deliver = { kind: "webhook", url: "https://example.com/", headers: { [name]: "x" } };
    expect(faultPaths({ type: "t", deliver })).toEqual(["deliver.headers"]);
  });

  test.each(["a\r\nb", "a\nb", "a\0b", "ä", "\x7f", "x".repeat(1_025)])("a webhook's header cannot be %j", (value) => {
    const deliver = { kind: "webhook", url: "https://example.com/", headers: { "x-a": value } };
    expect(faultPaths({ type: "t", deliver })).toEqual(["deliver.headers"]);
  });
});

test("a call from code has its own options, and its type's defaults where it says nothing", () => {
  const task = defineTask<number>("t", { maxAttempts: 5, timeout: "30s", startDeadline: "5m" });
  const given = { timeout: 1_000, startDeadline: undefined };
  const input = { type: "t", payload: 7, maxAttempts: 5, timeout: 1_000, startDeadline: undefined };
  expect(inputOfCall(given, task, 7)).toStrictEqual(input);
  expect(inputOfCall({ key: "k" }, "t", 7)).toStrictEqual({ type: "t", payload: 7, key: "k" });
  expect(task.defaults).toEqual({ maxAttempts: 5, timeout: "30s", startDeadline: "5m" });
});

test("a payload from code is a value, also where it is text for our edges", () => {
  const source = new JsonSource(jsonTextOf({ a: 1 }));
  expect(inputOfCall({}, "t", source)).toEqual({ type: "t", payload: { a: 1 } });
});

test("changes to a task are checked by the same rules as a new task", () => {
  expect(checkInput(taskChangesInput, { priority: 11, key: "x" }).faults.map((fault) => fault.path)).toEqual([
    "key",
    "priority",
  ]);
});

test("an edit of a task names at least one change", () => {
  for (const nothing of [{}, { priority: null, delay: undefined }])
    expect(checkInput(taskChangesInput, nothing).faults).toEqual([
      { path: "", message: "must name at least one change" },
    ]);
  for (const change of [{ priority: 1 }, { payload: null }, { delay: "1m" }])
    expect(checkInput(taskChangesInput, change).faults).toEqual([]);
});
