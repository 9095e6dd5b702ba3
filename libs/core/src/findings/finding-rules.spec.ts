import { describe, expect, test } from "@jest/globals";
import { typeFigures } from "../../test-support/type-figures.js";
import { FIRST_VITALS, type NodeVitals } from "../ports/cluster-store.js";
import type { Breaker } from "../ports/breaker-store.js";
import type { TypeFigures } from "../ports/figure-store.js";
import type { HeldSnapshot } from "../reports/held-snapshots.js";
import type { Pause } from "../ports/setting-store.js";
import { causesOf } from "./finding-rules.js";
import type { FindingScene, SceneLimit, SceneNode } from "./finding-scene.js";

const NOW = 1_800_000_000_000;

function node(label: string, changes: Partial<SceneNode> = {}, vitals: Partial<NodeVitals> = {}): SceneNode {
  return {
    bootId: label,
    label,
    name: label,
    version: "1.0.0",
    state: "live",
    roles: ["engine"],
    typeIds: [1],
    joinedAt: NOW - 60_000,
    endedAt: null,
    beatAgeMs: 200,
    vitals: { ...FIRST_VITALS, places: 100, ownedSlots: 2_048, ...vitals },
    ...changes,
  };
}

const OVERDUE = { overdue: 412, oldestDueAt: NOW - 180_000 };

function scene(changes: Partial<FindingScene> = {}): FindingScene {
  return {
    nowMs: NOW,
    self: { label: "a", postgresAwayForMs: null, redis: "works" },
    leader: "a",
    nodes: [node("a"), node("b")],
    types: [typeFigures()],
    policyConflicts: [],
    settings: null,
    breakers: [],
    stalledSchedules: [],
    troubledBatches: [],
    unseenDead: [],
    troubledOperations: [],
    typesCountedAt: NOW,
    unsafeSettings: [],
    heldSnapshots: [],
    overCapacity: null,
    limits: { suspectAfterMs: 3_000, deadAfterMs: 7_000, sweepMs: 1_000 },
    ...changes,
  };
}

function codesOf(changes: Partial<FindingScene>): string[] {
  return causesOf(scene(changes)).map(({ code, severity }) => `${code} ${severity}`);
}

test("each holder of a snapshot is a cause of its own, named by kind and name, and no other cause follows from it", () => {
  const holder: HeldSnapshot = {
    kind: "session",
    name: "4711",
    horizon: "700",
    transactions: 9,
    since: NOW - 700_000,
    isActive: null,
    application: "report",
    user: null,
    state: null,
    query: null,
    deadRows: 5,
  };
  const causes = causesOf(scene({ heldSnapshots: [holder, { ...holder, kind: "slot", name: "a" }] }));
  expect(causes.map(({ code, subject, namespace }) => [code, subject, namespace])).toEqual([
    ["SNAPSHOT_HELD", "session 4711", null],
    ["SNAPSHOT_HELD", "slot a", null],
  ]);
  expect(causes[0]!.facts).toMatchObject({ since: new Date(NOW - 700_000).toISOString(), deadRows: 5 });
});

describe("findings of what people have set", () => {
  const pause = {
    namespace: "default",
    typeId: 1,
    key: null,
    pausedAt: NOW - 300_000,
    until: null,
    reason: null,
    pausedBy: "key:7",
  };
  const LIMIT = {
    id: 7,
    namespace: "default",
    typeId: 1,
    maxRunning: 5,
    rate: null,
    changedAt: NOW,
    changedBy: "key:7",
  };
  const revision = { timeline: 1, number: 4 };
  const settingsOf = (...pauses: Pause[]): FindingScene["settings"] => ({
    revision,
    knownForMs: 20_000,
    pauses,
    limits: [],
  });
  const obeying = (label: string, settings: readonly [number, number] = [1, 4]): SceneNode =>
    node(label, {}, { settings });
  const nodes = [obeying("a"), obeying("b")];

  test("a pause is told as a finding with what waits for it, and not as overdue without a reason", () => {
    const types = [typeFigures({ ...OVERDUE, startedLately: 0, running: 0 })];
    expect(codesOf({ types, nodes })).toEqual(["OVERDUE_UNEXPLAINED critical"]);
    expect(codesOf({ types, nodes, settings: settingsOf(pause) })).toEqual(["TYPE_PAUSED notice"]);
    const ofNamespace = settingsOf({ ...pause, typeId: null });
    expect(codesOf({ types, nodes, settings: ofNamespace })).toEqual(["TYPE_PAUSED notice"]);
    expect(causesOf(scene({ types, nodes, settings: ofNamespace }))).toMatchObject([
      { subject: "default", facts: { type: null, overdue: 412, oldestMs: 180_000, by: "key:7" } },
    ]);
  });

  test("a pause is a warning once a task of it has been overdue for an hour", () => {
    const types = [typeFigures({ ...OVERDUE, oldestDueAt: NOW - 3_600_000 })];
    expect(codesOf({ types, nodes, settings: settingsOf(pause) })).toEqual(["TYPE_PAUSED warning"]);
  });

  test("a pause that is over, and a paused key, are no findings", () => {
    const over = { ...pause, until: NOW };
    expect(codesOf({ nodes, settings: settingsOf(over, { ...pause, key: "a" }) })).toEqual([]);
  });

  test("a limit that has been full for five minutes is told where tasks wait, and they are not overdue without a reason", () => {
    const types = [typeFigures({ ...OVERDUE, startedLately: 0, running: 0 })];
    const limit = { ...LIMIT, running: 5, tokens: null, fullForMs: 300_000 };
    const settings = (limits: SceneLimit[]): FindingScene["settings"] => ({ ...settingsOf()!, limits });
    expect(codesOf({ types, nodes, settings: settings([limit]) })).toEqual(["LIMIT_FULL notice"]);
    expect(causesOf(scene({ types, nodes, settings: settings([{ ...limit, typeId: null }]) }))).toMatchObject([
      { subject: "default", facts: { type: null, overdue: 412, maxRunning: 5, rateCount: null } },
    ]);
    expect(codesOf({ types, nodes, settings: settings([{ ...limit, fullForMs: 299_999 }]) })).toEqual([]);
    expect(codesOf({ types, nodes, settings: settings([{ ...limit, fullForMs: null }]) })).toEqual([
      "OVERDUE_UNEXPLAINED critical",
    ]);
    const idle = [typeFigures({ ...OVERDUE, overdue: 0, oldestDueAt: null })];
    expect(codesOf({ types: idle, nodes, settings: settings([limit]) })).toEqual([]);
  });

  test("a type whose breaker is open is told, and its tasks are not overdue without a reason", () => {
    const types = [typeFigures({ ...OVERDUE, startedLately: 0, running: 0 })];
    const { namespace, type } = types[0]!;
    const breaker: Breaker = {
      kind: "type",
      namespace,
      name: type,
      state: "open",
      reason: "FAILURES",
      openedAt: NOW - 60_000,
      until: NOW,
      openForMs: 20_000,
      trialBy: null,
      failedTrials: 1,
    };
    expect(codesOf({ types, nodes, breakers: [breaker] })).toEqual(["BREAKER_OPEN warning"]);
    expect(causesOf(scene({ types, nodes, breakers: [breaker] }))).toMatchObject([
      { subject: type, namespace, facts: { failedTrials: 1, overdue: 412 } },
    ]);
    expect(codesOf({ types, nodes, breakers: [{ ...breaker, namespace: "other" }] })).toContain(
      "OVERDUE_UNEXPLAINED critical",
    );
  });

  test("a host that rests for a minute or more is told, twenty of a namespace at most", () => {
    const rest = (at: number, forMs = 60_000): Breaker => ({
      kind: "host",
      namespace: "shop",
      name: `h${at}`,
      state: "open",
      reason: "RETRY_AFTER",
      openedAt: NOW,
      until: NOW + forMs,
      openForMs: forMs,
      trialBy: null,
      failedTrials: 0,
    });
    expect(codesOf({ nodes, breakers: [rest(1), rest(2, 59_999)] })).toEqual(["HOST_SLOWED notice"]);
    const breakers = Array.from({ length: 30 }, (_, at) => rest(at));
    const causes = causesOf(scene({ nodes, breakers }));
    expect([causes.length, causes[0]!.facts.hosts]).toEqual([20, 30]);
  });

  test("a node that works by older settings for 15 s is told, and one that obeys is not", () => {
    const behind = [obeying("a"), obeying("b", [1, 3])];
    expect(codesOf({ nodes: behind, settings: settingsOf() })).toEqual(["SETTINGS_NOT_OBEYED warning"]);
    expect(codesOf({ nodes: behind, settings: { ...settingsOf()!, knownForMs: 14_999 } })).toEqual([]);
    expect(codesOf({ nodes: [obeying("a"), obeying("b", [2, 1])], settings: settingsOf() })).toEqual([]);
  });
});

describe("findings of a cluster", () => {
  test("a cluster that is well has no findings", () => {
    expect(causesOf(scene())).toEqual([]);
  });

  test("without Postgres no other finding of a cluster is told, whatever else is seen", () => {
    const self = { label: "a", postgresAwayForMs: 4_000, redis: "away" } as const;
    const silent = [node("a"), node("b", { state: "suspect", beatAgeMs: 4_000 })];
    expect(causesOf(scene({ self, nodes: silent, types: null }))).toMatchObject([
      { code: "POSTGRES_AWAY", facts: { isAlone: false, nodes: 1 } },
    ]);
  });

  test("Postgres is told as away from the node that looks alone where the other nodes still beat", () => {
    const self = { label: "a", postgresAwayForMs: 4_000, redis: "works" } as const;
    expect(causesOf(scene({ self }))).toMatchObject([{ facts: { isAlone: true, node: "a", nodes: 2 } }]);
  });

  test("without Redis on every node there is one finding of the cluster, on some nodes one for each", () => {
    const self = { label: "a", postgresAwayForMs: null, redis: "away" } as const;
    const without = node("b", {}, { away: ["redis"] });
    expect(codesOf({ self, nodes: [node("a"), without] })).toEqual(["REDIS_AWAY warning"]);
    expect(codesOf({ self })).toEqual(["NODE_WITHOUT_REDIS warning"]);
    expect(causesOf(scene({ nodes: [node("a"), without] }))).toMatchObject([{ subject: "b" }]);
    expect(codesOf({ self: { ...self, redis: "none" }, nodes: [node("a"), without] })).toEqual([]);
  });

  test("a cluster has no leader where no node holds the term, or its holder is not there", () => {
    expect(codesOf({ leader: null })).toEqual(["NO_LEADER warning"]);
    expect(codesOf({ leader: "c" })).toEqual(["NO_LEADER warning"]);
    expect(codesOf({ leader: null, nodes: [] })).toEqual([]);
  });

  test("a cluster that waits for a silent leader has one finding, until the leader should have been declared dead", () => {
    const silent = (beatAgeMs: number): string[] =>
      codesOf({ leader: "b", nodes: [node("a"), node("b", { state: "suspect", beatAgeMs })] });
    expect(silent(7_000)).toEqual(["NODE_SUSPECT warning"]);
    expect(silent(7_001)).toEqual(["NODE_SUSPECT warning", "NO_LEADER warning"]);
  });

  test("two versions in a cluster are told with the nodes that remain to be rolled out", () => {
    const newer = node("b", { version: "1.1.0", joinedAt: NOW });
    expect(causesOf(scene({ nodes: [node("a"), newer] }))).toMatchObject([
      { code: "VERSIONS_DIFFER", facts: { newest: "1.1.0", remaining: ["a"], versions: ["1.0.0", "1.1.0"] } },
    ]);
  });

  test("a bucket beyond the cluster's capacity is told", () => {
    const over = { at: NOW + 60_000, bucketMs: 60_000, due: 9_000, capacity: 6_000, lateMs: 30_000 };
    expect(codesOf({ overCapacity: { ...over, type: "order.cancel", typeDue: 8_000 } })).toEqual([
      "FUTURE_OVER_CAPACITY warning",
    ]);
  });
});

describe("findings of a node", () => {
  test("a blocked loop of a node is told with what held it, and for how long until now", () => {
    const blocked = { forMs: 1_250, running: [{ type: "report", count: 2 }], lastStarted: "t" };
    expect(causesOf(scene({ nodes: [node("a"), node("b", {}, { blocked, inFlight: 3 })] }))).toMatchObject([
      { code: "LOOP_BLOCKED", subject: "b", facts: { blockedMs: 1_450, running: ["report × 2"], inFlight: 3 } },
    ]);
  });

  test("a node whose loop is blocked is not told as suspect, too, when its beats cease", () => {
    const blocked = { forMs: 20_000, running: [], lastStarted: null };
    const silent = node("b", { state: "suspect", beatAgeMs: 4_000 }, { blocked });
    expect(codesOf({ nodes: [node("a"), silent] })).toEqual(["LOOP_BLOCKED critical"]);
  });

  test("a silent node is suspect until its time is up", () => {
    expect(causesOf(scene({ nodes: [node("a"), node("b", { state: "suspect", beatAgeMs: 4_500 })] }))).toMatchObject([
      { code: "NODE_SUSPECT", facts: { silentMs: 4_500, leftMs: 2_500 } },
    ]);
  });

  test("a node's death is told for a minute, and it is neither suspect nor blocked any more", () => {
    const blocked = { forMs: 9_000, running: [], lastStarted: null };
    const died = (agoMs: number): SceneNode[] => [
      node("a"),
      node("b", { state: "dead", endedAt: NOW - agoMs }, { blocked }),
    ];
    expect(codesOf({ nodes: died(1_000) })).toEqual(["NODE_DIED notice"]);
    expect(codesOf({ nodes: died(61_000) })).toEqual([]);
  });

  test("a node's goodbye is no death", () => {
    expect(codesOf({ nodes: [node("a"), node("b", { state: "left", endedAt: NOW })] })).toEqual([]);
  });

  test("a node's clock that is half a second off is told, in either direction", () => {
    const off = (clockOffsetMs: number): string[] => codesOf({ nodes: [node("a", {}, { clockOffsetMs })] });
    expect([499, 500, -500].map(off)).toEqual([[], ["CLOCK_OFF warning"], ["CLOCK_OFF warning"]]);
  });
});

describe("findings of a type", () => {
  test("overdue tasks of a type that no present node runs are told with the node that ran it last", () => {
    const left = [
      node("c", { state: "left", endedAt: NOW - 9_000, typeIds: [2] }),
      node("d", { state: "dead", endedAt: NOW - 90_000, typeIds: [2] }),
    ];
    const types = [typeFigures({ typeId: 2, type: "mail.send", ...OVERDUE })];
    const [cause] = causesOf(scene({ nodes: [node("a"), ...left], types }));
    expect(cause).toMatchObject({
      code: "TYPE_WITHOUT_NODE",
      subject: "2",
      namespace: "default",
      severity: "critical",
      facts: { type: "mail.send", overdue: 412, oldestMs: 180_000, lastNode: "c", lastNodeDied: false },
    });
  });

  test("overdue tasks that consumers fetch are told when none has for a minute; not before, nor while one does", () => {
    const pulled = { typeId: 2, delivery: "pull", ...OVERDUE } as const;
    const told = (change: object): string[] => codesOf({ types: [typeFigures({ ...pulled, ...change })] });
    expect(told({})).toEqual(["QUEUE_WITHOUT_CONSUMER critical"]);
    expect([told({ lastMinuteStarted: 1 }), told({ oldestDueAt: NOW - 59_000 }), told({ overdue: 0 })]).toEqual([
      [],
      [],
      [],
    ]);
  });

  test("a type that no node runs and that has nothing due is not told", () => {
    expect(codesOf({ types: [typeFigures({ typeId: 2 })] })).toEqual([]);
  });

  test("a type whose nodes announce different policies has a notice with those that differ from what is in force", () => {
    const policyConflicts = [{ typeId: 1, namespace: "default", type: "order.cancel", others: ["b"] }];
    expect(causesOf(scene({ policyConflicts }))).toMatchObject([
      { code: "POLICIES_DIFFER", severity: "notice", subject: "1", facts: { type: "order.cancel", others: ["b"] } },
    ]);
  });

  test("failing attempts of a type are told from ten and a fifth of all on", () => {
    const failing = (lastFailed: number, lastStarted: number): string[] =>
      codesOf({ types: [typeFigures({ lastFailed, lastStarted })] });
    expect(failing(9, 9)).toEqual([]);
    expect(failing(10, 51)).toEqual([]);
    expect(failing(10, 50)).toEqual(["TYPE_FAILING warning"]);
  });

  test("taken places explain what is overdue of a type; a free place somewhere does not", () => {
    const types = [typeFigures({ ...OVERDUE, running: 180 })];
    const full = { inFlight: 100 };
    expect(causesOf(scene({ nodes: [node("a", {}, full), node("b", {}, full)], types }))).toMatchObject([
      { code: "PLACES_TAKEN", facts: { places: 200, waitMs: 180_000, typeRunning: 180 } },
    ]);
    const stuck = [typeFigures({ ...OVERDUE, running: 0 })];
    expect(codesOf({ nodes: [node("a", {}, full), node("b")], types: stuck })).toEqual([
      "OVERDUE_UNEXPLAINED critical",
    ]);
  });

  test("places are taken where the rest is kept for other types and namespaces, and when tasks wait for a second", () => {
    const taken = (inFlight: number, waitedMs = 1_000): string[] =>
      codesOf({
        nodes: [node("a", {}, { inFlight }), node("b", {}, { inFlight })],
        types: [typeFigures({ overdue: 9, oldestDueAt: NOW - waitedMs, running: 2 * inFlight })],
      });
    expect(taken(80)).toEqual(["PLACES_TAKEN warning"]);
    expect(taken(79)).toEqual([]);
    expect(taken(100, 999)).toEqual([]);
    const small = node("a", {}, { places: 1, inFlight: 1 });
    expect(codesOf({ nodes: [small], types: [typeFigures(OVERDUE)] })).toEqual(["PLACES_TAKEN warning"]);
  });

  test("figures of a type that are old say nothing about the time since they were counted", () => {
    const types = [typeFigures({ overdue: 1, oldestDueAt: NOW - 60_000 })];
    expect(codesOf({ types, typesCountedAt: NOW - 56_000 })).toEqual([]);
    expect(codesOf({ types, typesCountedAt: NOW - 55_000 })).toEqual(["OVERDUE_UNEXPLAINED critical"]);
  });

  test("overdue tasks that wait for running tasks of their own type, as those of a type with a limit do, are explained", () => {
    expect(codesOf({ types: [typeFigures({ ...OVERDUE, running: 1 })] })).toEqual([]);
  });

  test("overdue tasks are unexplained after five seconds, unless they are being started or a node explains them", () => {
    const overdue = (changes: Partial<TypeFigures>): TypeFigures[] => [typeFigures({ ...OVERDUE, ...changes })];
    expect(codesOf({ types: overdue({}) })).toEqual(["OVERDUE_UNEXPLAINED critical"]);
    expect(codesOf({ types: overdue({ oldestDueAt: NOW - 4_999 }) })).toEqual([]);
    expect(codesOf({ types: overdue({ startedLately: 1 }) })).toEqual([]);
    const suspect = node("b", { state: "suspect" });
    expect(codesOf({ types: overdue({}), nodes: [node("a"), suspect] })).toEqual(["NODE_SUSPECT warning"]);
  });
});
