import { expect, test } from "@jest/globals";
import type {
  ClusterEventDraft,
  DeathVerdict,
  DeathWarrant,
  Leadership,
  NodeRecord,
  NodeVitals,
  ViewNode,
} from "@tickwheel/core";
import { ManualClock, RecordingTelemetry } from "@tickwheel/testing";
import { Health } from "../health/health.js";
import { LeaderDuties } from "./leader-duties.js";
import type { Sighting } from "../beats/failure-detector.js";

const NO_VITALS = {} as NodeVitals;

interface Cluster {
  silent?: readonly string[];
  declareDead?: (bootId: string) => Promise<DeathVerdict>;
  /** How many of the first publications fail. */
  failures?: number;
  /** How many of the first calls that forget nodes fail. */
  forgetFailures?: number;
  /** Nodes whose beats the observer has not seen, and what Postgres says of them. */
  unseen?: Readonly<Record<string, number>>;
  /** The same list is read at each look. */
  suspects?: readonly string[];
}

/** A leader over five nodes. */
function leaderOf({
  silent = [],
  declareDead = async () => "dead",
  failures = 0,
  forgetFailures = 0,
  unseen = {},
  suspects = [],
}: Cluster) {
  const clock = new ManualClock();
  const telemetry = new RecordingTelemetry();
  const nodes = ["1", "2", "3", "4", "5"].map((bootId) => ({ bootId, label: bootId, state: "live", typeIds: [] }));
  const declared: string[] = [];
  const dead: string[] = [];
  const told: ClusterEventDraft[] = [];
  const warrants: DeathWarrant[] = [];
  const events = { add: (event: ClusterEventDraft) => void told.push(event) };
  const seen = { scene: "", reads: 0, beatReads: 0, forgotten: [] as number[], views: [] as string[][] };
  let leads = true;
  let failuresLeft = failures;
  let forgetFailuresLeft = forgetFailures;
  const store = {
    readNodes: async () => {
      seen.reads++;
      return nodes as unknown as NodeRecord[];
    },
    readBeats: async () => {
      seen.beatReads++;
      return Object.entries(unseen).map(([bootId, beat]) => ({ bootId, label: bootId, beat, vitals: NO_VITALS }));
    },
    publishView: async (planned: readonly ViewNode[]) => {
      if (failuresLeft-- > 0) throw new Error("away");
      seen.views.push(planned.map(({ bootId }) => bootId));
      return { number: 1, term: 1, nodes: [], publishedAt: 0 };
    },
    declareDead: (warrant: DeathWarrant) => {
      warrants.push(warrant);
      declared.push(warrant.bootId);
      return declareDead(warrant.bootId);
    },
    forgetDeadNodes: async (_leader: Leadership, kept: number) => {
      seen.forgotten.push(kept);
      if (forgetFailuresLeft-- > 0) throw new Error("away");
      return 0;
    },
  };
  const observer = {
    get scene() {
      return seen.scene;
    },
    suspects: () => new Set(suspects),
    leaving: () => new Set<string>(),
    dead: () => new Set(silent),
    sighting: (bootId: string) => (bootId in unseen ? null : ({ beat: 7 } as Sighting)),
    beatAgeMs: () => 7_000,
  };
  const views = { view: null, accept: () => undefined };
  const coordination = { send: async () => true };
  const duties = new LeaderDuties(
    { clock, telemetry, events, store, observer, views, coordination, health: new Health(clock, telemetry) },
    {
      self: "1",
      label: "10.0.0.1:1",
      beats: { heartbeatIntervalMs: 1_000, suspectAfterBeats: 3 },
      leadership: () => (leads ? { term: 1, holder: "1" } : null),
      isLeaving: () => false,
      onRefused: () => (leads = false),
      onDead: (bootId) => dead.push(bootId),
    },
  );
  const deaths = () => telemetry.named("cluster.node.dead").map(({ facts }) => facts?.bootId);
  return { clock, seen, duties, declared, deaths, dead, told, warrants };
}

const SILENT = ["2", "3", "4", "5"];

test("all silent nodes are declared dead at one look, even if one of the writes is held up", async () => {
  const answers: Record<string, DeathVerdict> = { 3: "busy", 4: "beat_moved" };
  const { duties, declared, deaths, dead } = leaderOf({
    silent: SILENT,
    declareDead: async (bootId) => {
      if (bootId === "2") throw new Error("away");
      return answers[bootId] ?? "dead";
    },
  });
  await duties.runOnce();
  expect([declared, deaths(), dead]).toEqual([["2", "3", "4", "5"], ["5"], ["5"]]);
});

test("a node's death is declared with how long the node was silent, and suspect", async () => {
  const { duties, warrants } = leaderOf({ silent: ["2"] });
  await duties.runOnce();
  expect(warrants.map(({ silence }) => silence)).toEqual([{ silentMs: 7_000, missedBeats: 7, suspectMs: 4_000 }]);
});

test("a node's silence is told once while it lasts, and its end once", async () => {
  const suspects = ["3"];
  const { duties, seen, told } = leaderOf({ suspects });
  await duties.runOnce();
  const silence = { silentMs: 7_000, missedBeats: 7, seenBy: "10.0.0.1:1" };
  expect(told.filter(({ kind }) => kind === "SUSPECT")).toEqual([{ kind: "SUSPECT", bootId: "3", facts: silence }]);
  told.length = 0;
  for (const scene of ["a", "b"]) {
    seen.scene = scene;
    await duties.runOnce();
  }
  expect(told).toEqual([]);
  suspects.pop();
  seen.scene = "c";
  await duties.runOnce();
  expect(told).toEqual([{ kind: "RECOVERED", bootId: "3", facts: { seenBy: "10.0.0.1:1" } }]);
});

test("a refused leader declares no further node dead", async () => {
  const { duties, declared, deaths } = leaderOf({
    silent: SILENT,
    declareDead: async (bootId) => (bootId === "3" ? "not_leader" : "dead"),
  });
  await duties.runOnce();
  expect([declared, deaths()]).toEqual([["2", "3"], ["2"]]);
});

/** How often the nodes are read in this many polls, 250 ms apart. */
async function readsIn(polls: number, { clock, duties, seen }: ReturnType<typeof leaderOf>): Promise<number> {
  const before = seen.reads;
  for (let poll = 0; poll < polls; poll++) {
    await duties.runOnce();
    await clock.advance(250);
  }
  return seen.reads - before;
}

test("a leader reads the nodes each second, and at once when the beats show another picture", async () => {
  const leader = leaderOf({});
  expect(await readsIn(8, leader)).toBe(2);
  leader.seen.scene = "somebody has come";
  expect(await readsIn(4, leader)).toBe(1);
});

test("a leader reads the nodes in each poll while a node is silent", async () => {
  expect(await readsIn(3, leaderOf({ silent: ["2"], declareDead: async () => "busy" }))).toBe(3);
});

test("a view that could not be published is published in the next poll", async () => {
  expect(await readsIn(4, leaderOf({ failures: 2 }))).toBe(3);
});

test("a node that joined after the observer's look is in the view once Postgres has its first beat", async () => {
  const { duties, seen } = leaderOf({ unseen: { 4: 1, 5: 0 } });
  await duties.runOnce();
  expect(seen.views).toEqual([["1", "2", "3", "4"]]);
});

test("a leader asks for no beats when it has seen those of all nodes", async () => {
  const leader = leaderOf({});
  await readsIn(8, leader);
  expect(leader.seen.beatReads).toBe(0);
});

test("a leader forgets dead nodes each ten seconds, except the hundred that joined last", async () => {
  const leader = leaderOf({});
  await readsIn(81, leader);
  expect(leader.seen.forgotten).toEqual([100, 100, 100]);
});

test("a leader whose forgetting of dead nodes failed does it again a second later", async () => {
  const leader = leaderOf({ forgetFailures: 2 });
  await readsIn(30, leader);
  expect(leader.seen.forgotten).toHaveLength(3);
});
