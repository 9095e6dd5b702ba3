import { describe, expect, test } from "@jest/globals";
import { runInNewContext } from "node:vm";
import { JsonSource, type JsonText, MAX_PAYLOAD_BYTES, TickwheelError } from "@tickwheel/core";
import {
  checkInput,
  MAX_PAYLOAD_DEPTH,
  readCall,
  requireInput,
  taskChangesInput,
  taskInput,
} from "@tickwheel/contract";
import { inputOfCall } from "./task-request.js";

const source = (text: string): JsonSource => new JsonSource(text as JsonText);

function faultPaths(value: unknown): string[] {
  return checkInput(taskInput, value)
    .faults.map(({ path }) => path)
    .sort();
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}

function codeOf(value: unknown): string | undefined {
  try {
    requireInput(taskInput, value);
  } catch (error) {
    return (error as TickwheelError).code;
  }
  return undefined;
}

describe("a payload", () => {
  test("a payload is the text that its value has when it is checked, whatever happens to the value afterwards", () => {
    const payload = { n: 1, list: [1] };
    const { input } = checkInput(taskInput, { type: "t", payload });
    payload.n = 2;
    payload.list.push(2);
    expect(input.payload).toBe('{"n":1,"list":[1]}');
  });

  test("a payload that is text already is passed on character by character", () => {
    const text = ' { "a": 1.0,\n "__proto__": 12345678901234567890, "a": 1e400 } ';
    expect(requireInput(taskInput, { type: "t", payload: source(text) }).payload).toBe(text);
    expect(requireInput(taskChangesInput, { payload: source("null") })).toEqual({ payload: "null" });
    expect(requireInput(taskChangesInput, { payload: null })).toEqual({ payload: "null" });
    expect(requireInput(taskChangesInput, { priority: 1 })).toEqual({ priority: 1 });
  });

  test("a payload is written once, and holds fields named as those of every object", () => {
    let times = 0;
    const payload: unknown = JSON.parse('{"__proto__":{"a":1},"constructor":[null,{"type":7}],"":""}');
    const counted = { toJSON: () => (times++, payload) };
    expect(requireInput(taskInput, { type: "t", payload: counted }).payload).toBe(JSON.stringify(payload));
    expect(times).toBe(1);
  });

  test("a payload of exactly 64 KiB is taken, of one byte more is 413; bytes count, not characters", () => {
    const limit = "x".repeat(MAX_PAYLOAD_BYTES - 2);
    for (const [good, bad] of [
      [limit, `${limit}x`],
      ["ž".repeat(MAX_PAYLOAD_BYTES / 2 - 1), "ž".repeat(MAX_PAYLOAD_BYTES / 2)],
      [source(`"${limit}"`), source(`"${limit}" `)],
    ]) {
      expect(codeOf({ type: "t", payload: good })).toBeUndefined();
      expect(codeOf({ type: "t", payload: bad })).toBe("PAYLOAD_TOO_LARGE");
    }
  });

  test("a payload that writes itself is measured as it is written", () => {
    const large = "x".repeat(MAX_PAYLOAD_BYTES);
    for (const payload of [{ toJSON: () => large }, [{ order: { toJSON: () => large } }]])
      expect(codeOf({ type: "t", payload })).toBe("PAYLOAD_TOO_LARGE");
  });

  test("a payload that is too large beside another fault is 400 with both", () => {
    const payload = "x".repeat(70_000);
    expect(codeOf({ type: "", payload })).toBe("VALIDATION_FAILED");
    expect(faultPaths({ type: "", payload })).toEqual(["payload", "type"]);
  });

  test("a payload of 32 levels is taken, of 33 is not; brackets in texts are no levels", () => {
    expect(faultPaths({ type: "t", payload: nested(MAX_PAYLOAD_DEPTH) })).toEqual([]);
    expect(faultPaths({ type: "t", payload: nested(MAX_PAYLOAD_DEPTH + 1) })).toEqual(["payload"]);
    expect(faultPaths({ type: "t", payload: ["[".repeat(100), { '\\"[[[[{': '\\"' + "{".repeat(100) }] })).toEqual([]);
    expect(faultPaths({ type: "t", payload: nested(20_000) })).toEqual(["payload"]);
  });

  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  test.each<[string, unknown]>([
    ["a cycle", cyclic],
    ["a function", () => 1],
    ["a symbol", Symbol("s")],
    [
      "a toJSON that throws",
      {
        toJSON() {
          throw new Error("no");
        },
      },
    ],
    ["a toJSON that gives nothing", { toJSON: () => undefined }],
    [
      "a getter that throws",
      {
        get a() {
          throw new Error("no");
        },
      },
    ],
    ["a revoked proxy", proxy],
  ])("a payload that is %s is refused at its path", (_name, payload) => {
    expect(checkInput(taskInput, { type: "t", payload }).faults).toEqual([
      { path: "payload", message: expect.stringMatching(/^must be JSON/) },
    ]);
  });
});

class Paid {
  readonly #at = 1;
  get at(): number {
    return this.#at;
  }
}

describe("what JSON would lose of a payload", () => {
  test.each<[string, unknown, string]>([
    ["undefined as a field", { a: { b: undefined } }, "payload.a.b"],
    ["undefined in a list", [1, undefined], "payload[1]"],
    ["a hole in a list", { list: Object.assign([], { 1: 1 }) }, "payload.list[0]"],
    ["a function", { a: [{ run: () => 1 }] }, "payload.a[0].run"],
    ["a symbol", { s: Symbol("s") }, "payload.s"],
    ["a BigInt", { n: 5n }, "payload.n"],
    ["NaN", { n: Number.NaN }, "payload.n"],
    ["infinity", [[Number.POSITIVE_INFINITY]], "payload[0][0]"],
    ["a Date", { paidAt: new Date(0) }, "payload.paidAt"],
    ["a Map", new Map([[1, 2]]), "payload"],
    ["a Set", { a: new Set([1]) }, "payload.a"],
    ["an Error", { error: Object.assign(new Error("no"), { code: 1 }) }, "payload.error"],
    ["bytes", { bytes: new Uint8Array(3) }, "payload.bytes"],
    ["a Buffer", { bytes: Buffer.from("a") }, "payload.bytes"],
    ["an instance without fields", { paid: new Paid() }, "payload.paid"],
    ["a Map of another realm", runInNewContext("({ deep: [new Map()] })"), "payload.deep[0]"],
  ])("a value that JSON would lose of a payload is refused at its path: %s", (_name, payload, path) => {
    const faults = [{ path, message: expect.stringMatching(/^must be JSON: it is /) }];
    expect(checkInput(taskInput, { type: "t", payload }).faults).toEqual(faults);
    expect(checkInput(taskChangesInput, { payload }).faults).toEqual(faults);
  });

  test("a payload that JSON would lose is refused when it is all that a call gives", () => {
    const given = inputOfCall({}, "t", undefined);
    expect(faultPaths(given)).toEqual(["payload"]);
  });

  test("JSON loses nothing of lists, nulls, plain objects of any realm, instances with fields, and what writes itself", () => {
    class Order {
      constructor(readonly id: string) {}
    }
    const payload = {
      list: [],
      nothing: null,
      empty: {},
      order: new Order("42"),
      url: new URL("https://example.com/"),
      bare: Object.create(null) as object,
      far: runInNewContext("({ list: [{}] })") as object,
    };
    const { input } = checkInput(taskInput, { type: "t", payload });
    expect(JSON.parse(input.payload as unknown as string)).toEqual({
      list: [],
      nothing: null,
      empty: {},
      order: { id: "42" },
      url: "https://example.com/",
      bare: {},
      far: { list: [{}] },
    });
  });

  test("the look for what JSON would lose of a payload is no longer than a payload may be", () => {
    const circle: Record<string, unknown> = {};
    for (let at = 0; at < 8; at++) circle[`again${at}`] = circle;
    expect(faultPaths({ type: "t", payload: circle })).toEqual(["payload"]);
    expect(codeOf({ type: "t", payload: Array.from({ length: 100_000 }, () => 1) })).toBe("PAYLOAD_TOO_LARGE");
  });
});

describe("options of a call", () => {
  test("options of a call that throw when they are read are a fault, no exception of another kind", () => {
    const options = {
      get delay(): string {
        throw new RangeError("no");
      },
    };
    expect(codeOf(options)).toBe("VALIDATION_FAILED");
    expect(codeOf(readCall(() => inputOfCall({ ...options }, "t", 1)))).toBe("VALIDATION_FAILED");
    const backoff = new Proxy(
      {},
      {
        ownKeys() {
          throw new Error("no");
        },
      },
    );
    expect(codeOf({ type: "t", backoff })).toBe("VALIDATION_FAILED");
    const date = Object.create(Date.prototype) as Date;
    expect(codeOf({ type: "t", scheduledAt: date })).toBe("VALIDATION_FAILED");
  });

  test("options of a call are read once: what was checked is what is kept", () => {
    let reads = 0;
    const headers = {
      get "x-a"(): string {
        return reads++ === 0 ? "good" : "bad\n";
      },
    };
    const deliver = { kind: "webhook", url: "https://example.com/", headers };
    const input = requireInput(taskInput, { type: "t", deliver });
    expect(input.deliver!.headers).toEqual({ "x-a": "good" });
    expect(input.deliver!.headers).not.toBe(headers);
  });
});
