import { describe, expect, test } from "@jest/globals";
import { typeFigures } from "../../test-support/type-figures.js";
import type { TypeFigures } from "../ports/figure-store.js";
import type { StalledSchedules } from "../reports/stalled-schedules.js";
import { causesOf } from "./finding-rules.js";
import type { FindingScene, SceneNode } from "./finding-scene.js";

const NOW = 1_800_000_000_000;
const HOUR_AGO = NOW - 3_600_000;

function stalled(changes: Partial<StalledSchedules> = {}): StalledSchedules {
  return {
    typeId: 7,
    namespace: "default",
    type: "report",
    reason: "NO_NODE",
    count: 1,
    names: ["nightly"],
    failures: 0,
    since: HOUR_AGO,
    ...changes,
  };
}

function node(changes: Partial<SceneNode> = {}): SceneNode {
  return {
    bootId: "a",
    label: "a",
    name: "a",
    version: "1.0.0",
    state: "live",
    roles: ["engine"],
    typeIds: [1],
    joinedAt: HOUR_AGO,
    endedAt: null,
    beatAgeMs: 200,
    vitals: null,
    ...changes,
  };
}

function overdue(): TypeFigures {
  return typeFigures({ typeId: 7, type: "report", overdue: 1, oldestDueAt: NOW - 5_000 });
}

function scene(changes: Partial<FindingScene>): FindingScene {
  return {
    nowMs: NOW,
    self: { label: "a", postgresAwayForMs: null, redis: "works" },
    leader: "a",
    nodes: [node()],
    types: [],
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

const codesOf = (changes: Partial<FindingScene>): string[] =>
  causesOf(scene(changes)).map(({ code, severity }) => `${code} ${severity}`);

describe("a schedule whose type no node runs", () => {
  test("a schedule whose type no node runs is told with its names, its type and the node that ran it last", () => {
    const left = node({ bootId: "b", label: "b", state: "left", typeIds: [7], endedAt: HOUR_AGO });
    const names = ["a", "b"];
    const told = causesOf(scene({ nodes: [node(), left], stalledSchedules: [stalled({ names, count: 101 })] }));
    expect(told).toEqual([
      {
        code: "SCHEDULE_WITHOUT_NODE",
        severity: "warning",
        subject: "7",
        namespace: "default",
        facts: {
          type: "report",
          schedules: names,
          scheduleCount: 101,
          areMoreSchedules: true,
          lastNode: "b",
          lastNodeDied: false,
          lastNodeEndedAt: new Date(HOUR_AGO).toISOString(),
        },
      },
    ]);
  });

  test("a schedule is not told as without a node while a node that runs its type is there, a suspect one too", () => {
    const stalledSchedules = [stalled()];
    expect(codesOf({ nodes: [node({ typeIds: [7] })], stalledSchedules })).toEqual([]);
    const silent = node({ bootId: "b", state: "suspect", typeIds: [7], beatAgeMs: 4_000 });
    expect(codesOf({ nodes: [node(), silent], stalledSchedules })).toEqual(["NODE_SUSPECT warning"]);
    expect(codesOf({ nodes: [node({ typeIds: [7], roles: ["api"] }), node()], stalledSchedules })).toEqual([
      "SCHEDULE_WITHOUT_NODE warning",
    ]);
  });

  test("a schedule whose type no node runs is told with the type where its tasks are overdue, and not a second time", () => {
    const told = causesOf(scene({ types: [overdue()], stalledSchedules: [stalled()] }));
    expect(told).toMatchObject([
      { code: "TYPE_WITHOUT_NODE", subject: "7", facts: { schedules: ["nightly"], scheduleCount: 1, overdue: 1 } },
    ]);
    expect(causesOf(scene({ types: [overdue()] }))[0]!.facts).not.toHaveProperty("schedules");
    expect(codesOf({ types: null, stalledSchedules: [stalled()] })).toEqual([]);
  });

  test("a schedule is not told for a minute and a half after its node ended, nor while other nodes do not know its type yet", () => {
    const endedAgo = (agoMs: number): string[] => {
      const left = node({ bootId: "b", state: "left", typeIds: [7], endedAt: NOW - agoMs });
      return codesOf({ nodes: [node(), left], stalledSchedules: [stalled()] });
    };
    expect([89_999, 90_000].map(endedAgo)).toEqual([[], ["SCHEDULE_WITHOUT_NODE warning"]]);
    const newFor = (agoMs: number): string[] => codesOf({ stalledSchedules: [stalled({ since: NOW - agoMs })] });
    expect([9_999, 10_000].map(newFor)).toEqual([[], ["SCHEDULE_WITHOUT_NODE warning"]]);
  });
});

describe("a paused schedule", () => {
  test("a paused schedule that failed too often is told with its failures, whether or not a node runs its type", () => {
    const stalledSchedules = [stalled({ reason: "FAILURES", failures: 3 })];
    const facts = { failures: 3, pausedAt: new Date(HOUR_AGO).toISOString(), schedules: ["nightly"], type: "report" };
    for (const nodes of [[node()], [node({ typeIds: [7] })]])
      expect(causesOf(scene({ nodes, stalledSchedules }))).toMatchObject([
        { code: "SCHEDULE_PAUSED", severity: "warning", subject: "7", namespace: "default", facts },
      ]);
  });

  test("a paused schedule that no code defines any more is good to know, beside schedules that fail", () => {
    const reasons = ["UNANNOUNCED", "FAILURES"] as const;
    expect(codesOf({ stalledSchedules: reasons.map((reason) => stalled({ reason })) })).toEqual([
      "SCHEDULE_PAUSED warning",
      "SCHEDULE_UNANNOUNCED notice",
    ]);
  });
});
