import { expect, test } from "@jest/globals";
import type { DeathVerdict, NodeRecord } from "@tickwheel/core";
import { ManualClock, RecordingTelemetry } from "@tickwheel/testing";
import { Conditions } from "./conditions.js";
import { LeaderDuties } from "./leader-duties.js";
import type { Sighting } from "./failure-detector.js";

/** A leader over five nodes of which four are silent; `declareDead` answers for each. */
function leaderOf(declareDead: (bootId: string) => Promise<DeathVerdict>) {
  const clock = new ManualClock();
  const telemetry = new RecordingTelemetry();
  const nodes = ["1", "2", "3", "4", "5"].map((bootId) => ({ bootId, label: bootId, state: "live", typeIds: [] }));
  const declared: string[] = [];
  const dead: string[] = [];
  let leads = true;
  const store = {
    readNodes: async () => nodes as unknown as NodeRecord[],
    publishView: async () => ({ number: 1, term: 1, nodes: [], publishedAt: 0 }),
    declareDead: ({ bootId }: { bootId: string }) => (declared.push(bootId), declareDead(bootId)),
    forgetDeadNodes: async () => 0,
  };
  const observer = {
    suspects: () => new Set<string>(),
    leaving: () => new Set<string>(),
    dead: () => new Set(["2", "3", "4", "5"]),
    sighting: () => ({ beat: 7 }) as Sighting,
    beatAgeMs: () => 7_000,
  };
  const views = { view: null, accept: () => undefined };
  const coordination = { send: async () => true };
  const duties = new LeaderDuties(
    { clock, telemetry, store, observer, views, coordination, conditions: new Conditions(clock, telemetry) },
    {
      self: "1",
      leadership: () => (leads ? { term: 1, holder: "1" } : null),
      isLeaving: () => false,
      onRefused: () => (leads = false),
      onDead: (bootId) => dead.push(bootId),
    },
  );
  const deaths = () => telemetry.named("cluster.node.dead").map(({ facts }) => facts?.bootId);
  return { duties, declared, deaths, dead };
}

test("all who are silent are declared dead at one look, whatever holds one of them up", async () => {
  const answers: Record<string, DeathVerdict> = { 3: "busy", 4: "beat_moved" };
  const { duties, declared, deaths, dead } = leaderOf(async (bootId) => {
    if (bootId === "2") throw new Error("away");
    return answers[bootId] ?? "dead";
  });
  await duties.runOnce();
  expect([declared, deaths(), dead]).toEqual([["2", "3", "4", "5"], ["5"], ["5"]]);
});

test("a leader that is refused declares nobody else", async () => {
  const { duties, declared, deaths } = leaderOf(async (bootId) => (bootId === "3" ? "not_leader" : "dead"));
  await duties.runOnce();
  expect([declared, deaths()]).toEqual([["2", "3"], ["2"]]);
});
