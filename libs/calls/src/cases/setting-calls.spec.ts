import { describe, expect, test } from "@jest/globals";
import {
  type FlowLimit,
  type LimitState,
  type Pause,
  type SettingChange,
  type Settings,
  TickwheelError,
} from "@tickwheel/core";
import type { SettingAnswer } from "@tickwheel/engine";
import type { Caller, CallPorts } from "./caller.js";
import { SettingCalls } from "./setting-calls.js";
import type { BreakerStanding } from "../settings/setting-standing.js";

const NOW = Date.parse("2026-11-27T08:00:00Z");
const CENTURY_MS = 100 * 365.25 * 86_400_000;
const REVISION = { timeline: 1, number: 4 };
const ADMIN: Caller = { namespace: "shop", actor: "key:1", rights: "admin", reader: "1" };
const OPERATOR: Caller = { ...ADMIN, rights: "operator" };
const VIEWER: Caller = { ...ADMIN, rights: "viewer" };
const PAUSE: Pause = {
  namespace: "shop",
  typeId: 7,
  key: null,
  pausedAt: NOW - 5_000,
  until: null,
  reason: null,
  pausedBy: "key:1",
};
const OF_NAMESPACE: Pause = { ...PAUSE, typeId: null, pausedAt: NOW - 9_000 };
const UNSET = { concurrency: null, keepSucceededMs: null, keepCancelledMs: null, keepDeadMs: null };
const FREE = { ...UNSET, limits: null, isLimitFull: false, breaker: null };
const RATE = { count: 100, perMs: 1_000, burst: 20 };
const TYPES = new Map([
  ["mail", 7],
  ["bill", 8],
]);

interface Scene {
  pauses?: Pause[];
  types?: Settings["types"];
  limits?: FlowLimit[];
  /** How full limits were; of types of which one is full, the numbers. */
  levels?: LimitState[];
  full?: number[];
  /** Null: it is not known. */
  waitingFor?: SettingAnswer["waitingFor"];
  isStoreAway?: boolean;
  /** The breaker of the type `mail`. */
  breaker?: BreakerStanding;
}

/** Calls to a node that knows the types `mail` and `bill`, and what it was asked to change. */
function callsIn(scene: Scene = {}) {
  const { pauses = [], types = [], limits = [], levels = [], full = [], breaker = null } = scene;
  const { waitingFor = [], isStoreAway = false } = scene;
  const changes: SettingChange[] = [];
  const held: unknown[] = [];
  const closed: unknown[] = [];
  const current: Settings = { revision: REVISION, types, limits, pauses };
  const ports: Pick<CallPorts, "settings" | "breakers"> & { service: object; options: object } = {
    options: { scheduler: { historyRetentionDays: 7, deadRetentionDays: 30 } },
    service: {
      nowMs: () => NOW,
      pause: (request: unknown) => {
        held.push(request);
        return Promise.reject(new TickwheelError("STORE_UNAVAILABLE", ""));
      },
      typeIdOf: ({ namespace, type }: { namespace: string; type: string }) =>
        Promise.resolve(namespace === "shop" ? (TYPES.get(type) ?? null) : null),
      typeNameOf: (typeId: number) => Promise.resolve([...TYPES].find(([, known]) => known === typeId)?.[0] ?? null),
    },
    breakers: {
      standingOf: (typeId) => (typeId === 7 ? breaker : null),
      close: (asked) => {
        closed.push(asked);
        return Promise.resolve(true);
      },
    },
    settings: {
      current,
      levelOf: (limitId) => levels.find(({ id }) => id === limitId) ?? null,
      isLimitFull: (typeId) => full.includes(typeId),
      read: () =>
        isStoreAway ? Promise.reject(new TickwheelError("STORE_UNAVAILABLE", "")) : Promise.resolve(current),
      change: (change) => {
        changes.push(change);
        return Promise.resolve({ revision: REVISION, waitingFor });
      },
    },
  };
  return { calls: new SettingCalls(ports as CallPorts), changes, held, closed };
}

const faultsOf = async (call: Promise<unknown>): Promise<string[]> => {
  const error: unknown = await call.catch((thrown: unknown) => thrown);
  if (!(error instanceof TickwheelError) || error.code !== "VALIDATION_FAILED") throw new Error(String(error));
  return error.faults.map(({ path }) => path);
};

describe("a pause", () => {
  test("a pause of a type is of the type's number, by who asks, and answers how the type stands", async () => {
    const { calls, changes } = callsIn({ pauses: [PAUSE], types: [] });
    const until = new Date(NOW + 60_000);
    const answer = await calls.pauseType(OPERATOR, "mail", { until, reason: "a bad deploy" });
    const subject = { namespace: "shop", typeId: 7, key: null };
    const asked = { kind: "pause", subject, until: NOW + 60_000, reason: "a bad deploy", actor: "key:1" };
    expect(changes).toEqual([asked]);
    expect(answer).toEqual({ revision: REVISION, waitingFor: [], standing: { ...FREE, pause: PAUSE } });
  });

  test("a pause of a key and of the namespace is of these alone", async () => {
    const { calls, changes, held } = callsIn({ pauses: [OF_NAMESPACE] });
    await calls.pauseKey(OPERATOR, { type: "mail", key: "42" });
    const ofNamespace = await calls.pauseNamespace(ADMIN, {});
    expect(changes).toEqual([
      {
        kind: "pause",
        subject: { namespace: "shop", typeId: 7, key: "42" },
        until: null,
        reason: null,
        actor: "key:1",
      },
      {
        kind: "pause",
        subject: { namespace: "shop", typeId: null, key: null },
        until: null,
        reason: null,
        actor: "key:1",
      },
    ]);
    expect(held).toEqual([{ target: { namespace: "shop", type: "mail", key: "42" }, actor: "key:1" }]);
    expect(ofNamespace.standing).toEqual({ ...OF_NAMESPACE, type: null });
  });

  test.each([
    ["until", { until: new Date(NOW).toISOString() }],
    ["until", { until: new Date(NOW - 1).toISOString() }],
    ["until", { until: new Date(NOW + CENTURY_MS + 1).toISOString() }],
    ["until", { until: "tomorrow" }],
    ["reason", { reason: "" }],
    ["reason", { reason: "x".repeat(1_001) }],
    ["manager", { manager: {} }],
  ])("a pause is refused by its %s: %j", async (path, given) => {
    const { calls, changes } = callsIn();
    expect(await faultsOf(calls.pauseType(OPERATOR, "mail", given))).toEqual([path]);
    expect(await faultsOf(calls.pauseKey(OPERATOR, { ...given, type: "mail", key: "42" }))).toEqual([path]);
    expect(await faultsOf(calls.pauseNamespace(ADMIN, given))).toEqual([path]);
    expect(changes).toEqual([]);
  });

  test.each(["", "a\0", "a\ud800", "x".repeat(257), "schedule:7", 5])(
    "a pause is refused by its key: %j",
    async (key) => {
      expect(await faultsOf(callsIn().calls.pauseKey(OPERATOR, { type: "mail", key }))).toEqual(["key"]);
    },
  );

  test("a pause may be as far ahead as a century", async () => {
    const { calls, changes } = callsIn();
    await calls.pauseType(OPERATOR, "mail", { until: new Date(NOW + CENTURY_MS).toISOString() });
    expect(changes).toMatchObject([{ until: NOW + CENTURY_MS }]);
  });
});

describe("a setting of a type", () => {
  test("a setting of a type is set, and taken away by null", async () => {
    const { calls, changes } = callsIn();
    await calls.updateType(OPERATOR, "mail", { concurrency: 5 });
    await calls.updateType(OPERATOR, "mail", { concurrency: null });
    const change = { kind: "type", typeId: 7, actor: "key:1" };
    expect(changes).toEqual([
      { ...change, values: { concurrency: 5 } },
      { ...change, values: { concurrency: null } },
    ]);
  });

  test("a type's retention may be a text or milliseconds, from an hour to the node's own, or no success at all", async () => {
    const { calls, changes } = callsIn();
    const valid = [
      { keepSucceeded: 0 },
      { keepSucceeded: "1h", keepDead: "P30D" },
      { keepSucceeded: "7d", keepCancelled: 0 },
    ];
    for (const given of [...valid, { keepDead: 3_600_000 }, { keepDead: null }])
      await calls.updateType(OPERATOR, "mail", given);
    expect(changes.map((change) => (change.kind === "type" ? change.values : null))).toEqual([
      { keepSucceededMs: 0 },
      { keepSucceededMs: 3_600_000, keepDeadMs: 30 * 86_400_000 },
      { keepSucceededMs: 7 * 86_400_000, keepCancelledMs: 0 },
      { keepDeadMs: 3_600_000 },
      { keepDeadMs: null },
    ]);
  });

  test("a type's retention that is refused is told with its path and its bounds", async () => {
    const { calls } = callsIn();
    const call = calls.updateType(OPERATOR, "mail", { keepSucceeded: "30m", keepDead: "31d" });
    await expect(call).rejects.toMatchObject({
      code: "VALIDATION_FAILED",
      faults: [
        { path: "keepSucceeded", message: "must be 0, or from 1 h to 7 d, which is historyRetentionDays" },
        { path: "keepDead", message: "must be from 1 h to 30 d, which is deadRetentionDays" },
      ],
    });
  });

  test.each([
    ["", {}],
    ["concurrency", { concurrency: 0 }],
    ["concurrency", { concurrency: 1.5 }],
    ["concurrency", { concurrency: 10_001 }],
    ["keepSucceeded", { keepSucceeded: "8d" }],
    ["keepSucceeded", { keepSucceeded: "soon" }],
    ["keepSucceeded", { keepSucceeded: -1 }],
    ["keepCancelled", { keepCancelled: "8d" }],
    ["keepDead", { keepDead: 0 }],
    ["keepDead", { keepDead: "59m" }],
    ["maxRuning", { concurrency: 5, maxRuning: 1 }],
  ])("a setting of a type is refused by its %j: %j", async (path, given) => {
    const { calls, changes } = callsIn();
    expect(await faultsOf(calls.updateType(OPERATOR, "mail", given))).toEqual([path]);
    expect(changes).toEqual([]);
  });
});

describe("a limit of the cluster", () => {
  const LIMIT: FlowLimit = {
    id: 3,
    namespace: "shop",
    typeId: 7,
    maxRunning: 5,
    rate: RATE,
    changedAt: NOW,
    changedBy: "key:1",
  };
  const ALL: FlowLimit = { ...LIMIT, id: 4, typeId: null, maxRunning: 200, rate: null };
  const FOREIGN: FlowLimit = { ...ALL, id: 5, namespace: "other" };

  test("a limit of a type is set beside its other settings; what is not named stays", async () => {
    const { calls, changes } = callsIn();
    await calls.updateType(OPERATOR, "mail", { maxRunning: 5, rate: { count: 100, per: "1s", burst: 20 } });
    await calls.updateType(OPERATOR, "mail", { rate: null, concurrency: 2 });
    const change = { kind: "type", typeId: 7, actor: "key:1" };
    expect(changes).toEqual([
      { ...change, values: { maxRunning: 5, rate: RATE } },
      { ...change, values: { concurrency: 2, rate: null } },
    ]);
  });

  test("a limit of a namespace is set, and answers how the namespace stands", async () => {
    const levels = [{ id: 4, running: 17, tokens: null }];
    const { calls, changes } = callsIn({ limits: [FOREIGN, LIMIT, ALL], levels, pauses: [OF_NAMESPACE] });
    const outcome = await calls.updateNamespace(ADMIN, { maxRunning: 200 });
    expect(changes).toEqual([{ kind: "namespace", namespace: "shop", values: { maxRunning: 200 }, actor: "key:1" }]);
    const limits = { maxRunning: 200, running: 17, rate: null, tokens: null };
    expect(outcome).toEqual({ revision: REVISION, waitingFor: [], standing: { limits, pause: OF_NAMESPACE } });
    expect(calls.namespaceStanding(VIEWER)).toEqual(outcome.standing);
    expect(calls.namespaceStanding({ namespace: "third" })).toEqual({ limits: null, pause: null });
  });

  test("a limit is told with how full it is, of the type itself; the full limit may be its namespace's", async () => {
    const levels = [{ id: 3, running: 5, tokens: 7 }];
    const { calls } = callsIn({ limits: [ALL, LIMIT], levels, full: [8] });
    const limits = { maxRunning: 5, running: 5, rate: RATE, tokens: 7 };
    expect(await calls.typeStanding(VIEWER, "mail")).toEqual({ ...FREE, limits, pause: null });
    expect(await calls.typeStanding(VIEWER, "bill")).toEqual({ ...FREE, isLimitFull: true, pause: null });
  });

  test("a limit of whose use nothing is known yet is told without it", async () => {
    const limits = { maxRunning: 5, running: null, rate: RATE, tokens: null };
    const { calls } = callsIn({ limits: [LIMIT] });
    expect(await calls.typeStanding(VIEWER, "mail")).toMatchObject({ limits });
  });

  test.each([
    [["maxRunning"], { maxRunning: 0 }],
    [["maxRunning"], { maxRunning: -1 }],
    [["maxRunning"], { maxRunning: 1_001 }],
    [["rate"], { rate: 5 }],
    [["rate.count", "rate.per"], { rate: { count: 0 } }],
    [["rate.count"], { rate: { count: 0, per: "1s" } }],
    [["rate.count"], { rate: { count: 1_000_001, per: "1d" } }],
    [["rate.per"], { rate: { count: 1, per: 0 } }],
    [["rate.per"], { rate: { count: 1, per: "25h" } }],
    [["rate.per"], { rate: { count: 1, per: "soon" } }],
    [["rate.burst"], { rate: { count: 1, per: "1s", burst: 0 } }],
    [["rate.burst"], { rate: { count: 1, per: "1s", burst: 1_000_001 } }],
    [["rate"], { rate: { count: 1, per: "17m" } }],
    [["rate"], { rate: { count: 100_001, per: "1s" } }],
    [["rate.every"], { rate: { count: 1, per: "1s", every: 5 } }],
    [
      ["maxRunning", "rate.count", "rate.per", "rate.burst"],
      { maxRunning: 1_001, rate: { count: -1, per: 0, burst: 0 } },
    ],
  ])("a limit of the cluster is refused by its %j: %j", async (paths, given) => {
    const { calls, changes } = callsIn();
    expect(await faultsOf(calls.updateType(OPERATOR, "mail", given))).toEqual(paths);
    expect(await faultsOf(calls.updateNamespace(ADMIN, given))).toEqual(paths);
    expect(changes).toEqual([]);
  });

  test("a limit of a namespace is at least one, and no setting of types", async () => {
    const { calls } = callsIn();
    expect(await faultsOf(calls.updateNamespace(ADMIN, {}))).toEqual([""]);
    expect(await faultsOf(calls.updateNamespace(ADMIN, { maxRunning: 5, concurrency: 5 }))).toEqual(["concurrency"]);
  });

  test.each([
    { count: 1, per: "1000s" },
    { count: 100_000, per: "1s" },
    { count: 1_000_000, per: "10s", burst: 1_000_000 },
    { count: 1, per: 1 },
  ])("a limit's rate may be %j", async (rate) => {
    const { calls, changes } = callsIn();
    await calls.updateType(OPERATOR, "mail", { maxRunning: 1_000, rate });
    expect(changes).toHaveLength(1);
  });
});

describe("a change", () => {
  test("a change of a type that nobody has made, or of a type of Tickwheel itself, is refused", async () => {
    const { calls, changes } = callsIn();
    const isAbsent = { code: "TYPE_NOT_FOUND" };
    await expect(calls.pauseType(OPERATOR, "lost", {})).rejects.toMatchObject(isAbsent);
    await expect(calls.resumeType({ ...OPERATOR, namespace: "other" }, "mail")).rejects.toMatchObject(isAbsent);
    await expect(calls.resumeKey(OPERATOR, { type: "lost", key: "42" })).rejects.toMatchObject(isAbsent);
    expect(await faultsOf(calls.pauseType(OPERATOR, "tickwheel.batch", {}))).toEqual(["type"]);
    expect(await faultsOf(calls.updateType(OPERATOR, "tickwheel.batch", { concurrency: 1 }))).toEqual(["type"]);
    expect(await faultsOf(calls.pauseKey(OPERATOR, { type: "tickwheel.batch", key: "1" }))).toEqual(["type"]);
    expect(changes).toEqual([]);
  });

  test("a change of settings names the nodes that do not obey it yet, and answers where the store went away behind it", async () => {
    const behind = await callsIn({ waitingFor: ["10.0.0.1:7"] }).calls.resumeType(OPERATOR, "mail");
    expect(behind.waitingFor).toEqual(["10.0.0.1:7"]);
    const { calls } = callsIn({ waitingFor: null, isStoreAway: true, pauses: [PAUSE] });
    const unknown = await calls.resumeType(OPERATOR, "mail");
    expect(unknown).toEqual({ revision: REVISION, waitingFor: null, standing: { ...FREE, pause: PAUSE } });
  });

  test("a change of settings is refused to callers who may not make it, before anything is looked at", async () => {
    const calls = new SettingCalls({} as CallPorts);
    const refused = [
      calls.pauseType(VIEWER, "mail", {}),
      calls.resumeType(VIEWER, "mail"),
      calls.updateType(VIEWER, "mail", {}),
      calls.closeBreaker(VIEWER, "mail"),
      calls.pauseKey(VIEWER, {}),
      calls.resumeKey(VIEWER, {}),
      calls.pauseNamespace(OPERATOR, {}),
      calls.resumeNamespace(OPERATOR),
      calls.updateNamespace(OPERATOR, {}),
    ];
    for (const call of refused) await expect(call).rejects.toMatchObject({ code: "FORBIDDEN" });
  });
});

test("a type's breaker is told with the type, and closed under the type's name and that of the caller", async () => {
  const breaker = { state: "OPEN", since: NOW, until: NOW + 5, failedTrials: 1, node: null } as const;
  const { calls, closed } = callsIn({ breaker });
  expect(await calls.typeStanding(VIEWER, "mail")).toEqual({ ...FREE, breaker, pause: null });
  expect(await calls.closeBreaker(OPERATOR, "mail")).toEqual({ ...FREE, breaker, pause: null });
  await expect(calls.closeBreaker(OPERATOR, "post")).rejects.toMatchObject({ code: "TYPE_NOT_FOUND" });
  expect(closed).toEqual([{ namespace: "shop", type: "mail", actor: "key:1" }]);
});

describe("what is paused", () => {
  const ofKey: Pause = { ...PAUSE, typeId: 8, key: "42", pausedAt: NOW - 1_000 };
  const over: Pause = { ...PAUSE, typeId: 8, until: NOW };
  const foreign: Pause = { ...OF_NAMESPACE, namespace: "other" };
  const dropped: Pause = { ...PAUSE, typeId: 9, pausedAt: NOW - 7_000 };

  test("pauses are listed by pages, the newest first, without those that are over, foreign or dropped", async () => {
    const { calls } = callsIn({ pauses: [OF_NAMESPACE, PAUSE, ofKey, over, foreign, dropped] });
    const first = await calls.pauses(VIEWER, { limit: 3 });
    expect(first).toEqual({
      pauses: [
        { ...ofKey, type: "bill" },
        { ...PAUSE, type: "mail" },
      ],
      next: 3,
    });
    const second = await calls.pauses(VIEWER, { limit: 3, after: 3 });
    expect(second).toEqual({ pauses: [{ ...OF_NAMESPACE, type: null }], next: null });
  });

  test("a type's pause is its own before its namespace's, and none of a key's; types of Tickwheel itself are never paused", async () => {
    const concurrency = { typeId: 8, concurrency: 5, keepSucceededMs: null, keepCancelledMs: null, keepDeadMs: null };
    const types = [{ ...concurrency, changedAt: NOW, changedBy: "key:1" }];
    const { calls } = callsIn({ pauses: [OF_NAMESPACE, PAUSE, ofKey], types });
    expect(await calls.typeStanding(VIEWER, "mail")).toEqual({ ...FREE, pause: PAUSE });
    expect(await calls.typeStanding(VIEWER, "bill")).toEqual({ ...FREE, concurrency: 5, pause: OF_NAMESPACE });
    const own = { id: 10, namespace: "shop", type: "tickwheel.batch" };
    expect(calls.standing().ofType(own)).toEqual({ ...FREE, pause: null });
  });
});
