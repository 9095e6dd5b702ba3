import { describe, expect, test } from "@jest/globals";
import { DEFAULT_OPTIONS, jsonTextOf, TickwheelError } from "@tickwheel/core";
import { AllowedHosts, BrokerTargets } from "@tickwheel/executors";
import { batchFilterInput, checkInput, memberFilterInput, membersInput } from "@tickwheel/contract";
import { AnnouncedSchemas } from "../payloads/announced-schemas.js";
import { PayloadCheck } from "../payloads/payload-check.js";
import { toBatchRequest } from "./batch-request.js";
import { BulkCheck } from "./bulk-check.js";

const deliveries = { webhookHosts: new AllowedHosts([]), brokers: new BrokerTargets({}), scheduler: DEFAULT_OPTIONS };
const nothing = new AnnouncedSchemas(
  () => undefined,
  () => undefined,
);
const caller = { namespace: "default", actor: "tester", deliveries, payloads: new PayloadCheck("default", nothing) };
const task = { type: "settle.shop" };

async function faultsOf(value: unknown): Promise<string[]> {
  const error: unknown = await toBatchRequest(value, caller).catch((thrown: unknown) => thrown);
  return error instanceof TickwheelError ? error.faults.map(({ path, message }) => `${path} ${message}`) : [];
}

async function pathsOf(value: unknown): Promise<string[]> {
  return (await faultsOf(value)).map((fault) => fault.split(" ", 1)[0]!).sort();
}

describe("the input of a batch", () => {
  test("a full input of a batch becomes what the engine takes", async () => {
    const request = await toBatchRequest(
      {
        name: "settle:2026-11-21",
        tasks: [
          { ...task, payload: { shop: 7 }, key: "7", onConflict: "reject", delay: "1m" },
          { ...task, tags: ["vip"] },
        ],
        onComplete: { type: "settle.report", payload: [1], delay: "5m" },
        onSuccess: { type: "settle.book", maxAttempts: 9 },
        deadline: "4h",
        retryDead: true,
        seal: true,
      },
      caller,
    );
    const given = { namespace: "default", actor: "tester", key: null, idempotency: null };
    expect(request).toMatchObject({
      namespace: "default",
      actor: "tester",
      name: "settle:2026-11-21",
      shards: null,
      tasks: [
        { type: "settle.shop", payload: jsonTextOf({ shop: 7 }), key: "7", due: { delayMs: 60_000 } },
        { ...given, type: "settle.shop", payload: jsonTextOf(null), tags: ["vip"] },
      ],
      onComplete: { ...given, type: "settle.report", payload: jsonTextOf([1]), due: { delayMs: 300_000 } },
      onSuccess: { ...given, type: "settle.book", maxAttempts: 9 },
      deadline: { delayMs: 14_400_000 },
      failFast: false,
      retryDead: true,
      seal: true,
    });
  });

  test("an input of nothing at all is a batch without a name that fills", async () => {
    const nothing = { name: null, tasks: [], shards: null, onComplete: null, onSuccess: null, deadline: null };
    const flags = { failFast: false, retryDead: false, seal: false };
    const expected = { namespace: "default", actor: "tester", ...nothing, ...flags };
    expect(await toBatchRequest({}, caller)).toEqual(expected);
    expect(await toBatchRequest({ ...nothing, tasks: null, failFast: null, seal: null }, caller)).toEqual(expected);
  });

  test.each([
    ["90m", { delayMs: 5_400_000 }],
    [1_500, { delayMs: 1_500 }],
    ["PT1H", { delayMs: 3_600_000 }],
    ["2026-11-21T08:00:00Z", { at: Date.UTC(2026, 10, 21, 8) }],
    ["2026-11-21T09:00:00+01:00", { at: Date.UTC(2026, 10, 21, 8) }],
    [new Date(Date.UTC(2026, 10, 21, 8)), { at: Date.UTC(2026, 10, 21, 8) }],
  ])("a batch's deadline %p is a delay or an instant", async (deadline, expected) => {
    expect((await toBatchRequest({ deadline }, caller)).deadline).toEqual(expected);
  });

  test("every fault of a batch is named by its path, in one answer: its own, its members' and of what happens at its end", async () => {
    const value = {
      name: "a b",
      colour: 1,
      tasks: [task, { type: "x y", delay: "soon" }, 7],
      onComplete: { type: "settle.report", priority: 10 },
      onSuccess: "settle.book",
      deadline: "soon",
      failFast: 1,
      seal: "yes",
    };
    const own = ["colour", "deadline", "failFast", "name", "seal"];
    const ofTasks = ["onComplete.priority", "onSuccess", "tasks[1].delay", "tasks[1].type", "tasks[2]"];
    expect(await pathsOf(value)).toEqual([...own, ...ofTasks].sort());
  });

  test("a batch's members and follow-ups take nothing that could make them another task, or share one", async () => {
    const member = { ...task, key: "k", onConflict: "merge", merge: { bytes: "add" }, maxWait: "1h" };
    const refused = ["idempotencyKey", "maxWait", "merge", "onConflict"];
    expect(await pathsOf({ tasks: [task, { ...member, idempotencyKey: "i" }] })).toEqual(
      refused.map((field) => `tasks[1].${field}`),
    );
    const end = { ...member, idempotencyKey: "i" };
    expect(await pathsOf({ onComplete: end, onSuccess: end })).toEqual(
      ["onComplete", "onSuccess"].flatMap((path) =>
        ["idempotencyKey", "key", "maxWait", "merge", "onConflict"].map((field) => `${path}.${field}`),
      ),
    );
    expect(await faultsOf({ tasks: [{ ...task, merge: {} }] })).toEqual([
      "tasks[0].merge must not be given for a member of a batch",
    ]);
  });

  test("a batch's shards are split from exactly one task without a key", async () => {
    expect(await pathsOf({ shards: 4, tasks: [{ ...task, key: "k" }] })).toEqual(["tasks[0].key"]);
    for (const tasks of [undefined, [], [task, task]])
      expect(await faultsOf({ shards: "nodes", tasks })).toEqual([
        "tasks must hold exactly one task together with shards",
      ]);
    for (const shards of [0, 1_001, 1.5, "node", "4"])
      expect(await faultsOf({ shards, tasks: [task] })).toEqual(['shards must be a number of 1 to 1000, or "nodes"']);
    for (const shards of [1, 1_000, "nodes"] as const)
      expect((await toBatchRequest({ shards, tasks: [task] }, caller)).shards).toBe(shards);
  });

  test("retries of a batch's dead members need a deadline, and exclude failing fast", async () => {
    expect(await pathsOf({ retryDead: true })).toEqual(["retryDead"]);
    expect(await pathsOf({ retryDead: true, deadline: "1h", failFast: true })).toEqual(["failFast"]);
    expect(await pathsOf({ retryDead: false, failFast: true })).toEqual([]);
  });

  test("a batch's name is 1 to 128 characters, and a batch has at most 10,000 first members", async () => {
    expect(await pathsOf({ name: "a".repeat(128) })).toEqual([]);
    for (const name of ["", "a".repeat(129), "ä", 7]) expect(await pathsOf({ name })).toEqual(["name"]);
    expect(await pathsOf({ tasks: Array.from({ length: 10_001 }, () => 7) })).toEqual(["tasks"]);
    expect(await pathsOf({ tasks: {} })).toEqual(["tasks"]);
  });

  test("keys that begin batch: are the batches' own", async () => {
    expect(await faultsOf({ tasks: [{ ...task, key: "batch:1:complete" }] })).toEqual([
      "tasks[0].key must not begin with batch:, which is for the keys of batches",
    ]);
    expect(await faultsOf({ tasks: [{ ...task, key: "batches:1" }] })).toEqual([]);
  });

  test("a member added to a batch that is refused does not stop the others, and says why", () => {
    const check = new BulkCheck({ ...caller, kind: "member" });
    expect(check.next({ ...task, key: "k" })).toMatchObject({ request: { key: "k" } });
    const errors = [{ path: "tasks[1].onConflict", message: "must be reject for a member of a batch" }];
    expect(check.next({ ...task, key: "k", onConflict: "return" })).toMatchObject({
      rejection: { code: "VALIDATION_FAILED", errors },
    });
  });
});

describe("the inputs about batches", () => {
  const pathsIn = (schema: Parameters<typeof checkInput>[0], value: unknown): string[] =>
    checkInput(schema, value)
      .faults.map(({ path }) => path)
      .sort();

  test("at least one member is added to a batch at once, and at most 10,000", () => {
    for (const tasks of [undefined, [], 7, Array.from({ length: 10_001 })])
      expect(pathsIn(membersInput, { tasks })).toEqual(["tasks"]);
    expect(pathsIn(membersInput, { tasks: [task], more: 1 })).toEqual(["more"]);
  });

  test("filters of batches have bounds, and name what is wrong", () => {
    expect(pathsIn(memberFilterInput, { states: ["open"], limit: 201, after: "x", live: true })).toEqual([
      "after",
      "limit",
      "live",
      "states",
    ]);
    expect(pathsIn(batchFilterInput, { states: ["dead"], namePrefix: "", limit: 0, before: 7 })).toEqual([
      "before",
      "limit",
      "namePrefix",
      "states",
    ]);
    expect(checkInput(memberFilterInput, {}).input).toEqual({ limit: 50 });
    expect(checkInput(batchFilterInput, { states: ["open"], limit: 200 }).faults).toEqual([]);
  });
});
