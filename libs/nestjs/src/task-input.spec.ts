import { describe, expect, test } from "@jest/globals";
import { TickwheelError } from "@tickwheel/core";
import { checkInput, INPUT_FIELDS, requireInput } from "./input-check.js";
import { MAX_PAYLOAD_BYTES, depthOf, parseInstant } from "./input-rules.js";
import { bodyHash, deliverFaults, toScheduleRequest } from "./schedule-request.js";
import { TaskChangesInput, TaskInput } from "./task-input.js";

function faultPaths(value: unknown): string[] {
  return checkInput(TaskInput, value)
    .faults.map((fault) => fault.path)
    .sort();
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

describe("the task input", () => {
  test("a full input is taken as it is", () => {
    const backoff = { kind: "exponential", initial: "2s", max: "1h", jitter: 0 };
    const deliver = { kind: "webhook", url: "https://example.com/hook", headers: { "x-tenant": "7" } };
    const value = {
      ...{
        type: "order.cancel",
        payload: { a: [1, null] },
        delay: "15m",
        key: "42",
        onConflict: "refresh",
        priority: 0,
      },
      ...{ maxAttempts: 5, backoff, timeout: 30_000, startDeadline: "PT5M", idempotencyKey: "k", deliver },
    };
    const { input, faults } = checkInput(TaskInput, value);
    expect(faults).toEqual([]);
    expect(toScheduleRequest(input, "default", "tester")).toMatchObject({
      ...{
        type: "order.cancel",
        payload: { a: [1, null] },
        due: { delayMs: 900_000 },
        key: "42",
        onConflict: "refresh",
      },
      ...{ priority: 0, maxAttempts: 5, timeoutMs: 30_000, startDeadlineMs: 300_000, webhook: deliver },
      backoff: { kind: "exponential", initialMs: 2_000, maxMs: 3_600_000, jitter: 0 },
    });
  });

  test("every fault is named by its path, in one answer", () => {
    const value = {
      ...{ type: "a b", delay: "soon", key: "", onConflict: "merge", priority: 10, maxAttempts: 0, colour: "red" },
      ...{
        backoff: { kind: "fixed", delay: -1, ladder: [] },
        deliver: { kind: "webhook", url: "ftp://x" },
        timeout: 0,
        startDeadline: 0,
      },
    };
    expect(faultPaths(value)).toEqual([
      ...[
        "backoff.delay",
        "backoff.ladder",
        "colour",
        "delay",
        "deliver.url",
        "key",
        "maxAttempts",
        "onConflict",
        "priority",
      ],
      ...["startDeadline", "timeout", "type"],
    ]);
  });

  test.each([null, 5, "x", [], undefined])("%p is not a task", (value) => {
    expect(checkInput(TaskInput, value).faults).toEqual([{ path: "", message: "must be an object" }]);
  });

  test("delay and scheduledAt exclude each other", () => {
    expect(faultPaths({ type: "t", delay: 5, scheduledAt: "2026-11-21T08:00:00Z" })).toEqual(["scheduledAt"]);
  });

  test("null means absent", () => {
    expect(faultPaths({ type: "t", delay: null, scheduledAt: null, key: null, backoff: null, deliver: null })).toEqual(
      [],
    );
    const { input } = checkInput(TaskInput, {
      type: "t",
      delay: null,
      backoff: { kind: "exponential", initial: null },
    });
    expect(toScheduleRequest(input, "default", "tester")).toMatchObject({
      due: undefined,
      backoff: { initialMs: 1_000 },
    });
  });

  test("NUL is refused in type, key and idempotency key", () => {
    expect(faultPaths({ type: "a\0", key: "b\0", idempotencyKey: "c\0" })).toEqual(["idempotencyKey", "key", "type"]);
  });

  test("a __proto__ field is an unknown field and changes no prototype", () => {
    const value: unknown = JSON.parse('{"type":"t","__proto__":{"priority":1}}');
    expect(faultPaths(value)).toEqual(["__proto__"]);
    expect(checkInput(TaskInput, value).input.priority).toBeUndefined();
  });

  test("a delay or a start deadline beyond a hundred years is refused", () => {
    const tooLong = 100 * 366 * 86_400_000;
    expect(faultPaths({ type: "t", delay: tooLong, startDeadline: tooLong })).toEqual(["delay", "startDeadline"]);
  });

  test("the list of known fields is that of each input's rules", () => {
    for (const [inputClass, fields] of INPUT_FIELDS) {
      const instance = Object.fromEntries(fields.map((field) => [field, Symbol("nothing that any rule takes")]));
      const ruled = new Set(checkInput(inputClass, instance).faults.map((fault) => fault.path.split(".")[0]));
      expect([...ruled].sort()).toEqual(
        expect.arrayContaining(fields.filter((field) => !OPTIONAL_UNRULED.has(field)).sort()),
      );
    }
  });
});

/** Rules of these depend on other fields. */
const OPTIONAL_UNRULED = new Set<string>();

describe("payloads", () => {
  test("exactly 64 KiB is taken, one byte more is 413", () => {
    const limit = "x".repeat(MAX_PAYLOAD_BYTES - 2);
    expect(faultPaths({ type: "t", payload: limit })).toEqual([]);
    expect(() => requireInput(TaskInput, { type: "t", payload: `${limit}x` })).toThrow(
      expect.objectContaining({ code: "PAYLOAD_TOO_LARGE" }) as unknown as TickwheelError,
    );
  });

  test("a payload that is too large beside another fault is 400 with both", () => {
    expect(() => requireInput(TaskInput, { type: "", payload: "x".repeat(70_000) })).toThrow(
      expect.objectContaining({
        code: "VALIDATION_FAILED",
        faults: expect.arrayContaining([expect.objectContaining({ path: "type" })]),
      }) as unknown as TickwheelError,
    );
  });

  test("32 levels are taken, 33 are not", () => {
    expect(faultPaths({ type: "t", payload: nested(32) })).toEqual([]);
    expect(faultPaths({ type: "t", payload: nested(33) })).toEqual(["payload"]);
    expect(depthOf(nested(100_000), 32)).toBe(33);
  });

  test("what JSON cannot hold is refused", () => {
    const cyclic: { self?: unknown } = {};
    cyclic.self = cyclic;
    expect(faultPaths({ type: "t", payload: cyclic })).toEqual(["payload"]);
    expect(faultPaths({ type: "t", payload: 5n })).toEqual(["payload"]);
  });
});

describe("instants", () => {
  test.each([
    ["2026-11-21T08:00:00Z", Date.UTC(2026, 10, 21, 8)],
    ["2026-11-21T08:00:00.123+02:00", Date.UTC(2026, 10, 21, 6, 0, 0, 123)],
    ["2028-02-29T00:00:00Z", Date.UTC(2028, 1, 29)],
  ])("%p is read", (text, expected) => {
    expect(parseInstant(text)).toBe(expected);
  });

  test.each(["2026-11-21T08:00:00", "2026-11-21", "tomorrow", "2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z", 5, null])(
    "%p is refused",
    (text) => {
      expect(parseInstant(text)).toBeNull();
    },
  );
});

describe("webhooks", () => {
  test("a host that is not on the allow-list is a fault", () => {
    const { input } = checkInput(TaskInput, { type: "t", deliver: { kind: "webhook", url: "https://example.com/x" } });
    expect(deliverFaults(input, [], "tasks[2]").map((fault) => fault.path)).toEqual(["tasks[2].deliver.url"]);
    expect(deliverFaults(input, ["example.com"])).toEqual([]);
  });

  test("headers that a delivery sets itself cannot be given", () => {
    const deliver = { kind: "webhook", url: "https://example.com/", headers: { "Webhook-Id": "x" } };
    expect(faultPaths({ type: "t", deliver })).toEqual(["deliver.headers"]);
  });
});

describe("body hashes", () => {
  test("the order of fields and the place of the idempotency key do not matter, anything else does", () => {
    const hash = bodyHash({ type: "t", payload: { a: 1, b: [1, 2] } });
    expect(bodyHash({ idempotencyKey: "k", payload: { b: [1, 2], a: 1 }, type: "t" })).toBe(hash);
    expect(bodyHash({ type: "t", payload: { a: 1, b: [2, 1] } })).not.toBe(hash);
  });
});

test("changes are checked by the same rules", () => {
  expect(checkInput(TaskChangesInput, { priority: 11, key: "x" }).faults.map((fault) => fault.path)).toEqual([
    "key",
    "priority",
  ]);
});
