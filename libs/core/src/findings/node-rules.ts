import type { Cause } from "../reports/finding.js";
import type { BlockedLoop } from "../ports/cluster-store.js";
import { causeOf } from "./cause.js";
import type { FindingScene, SceneNode } from "./finding-scene.js";
import { presentNodes } from "./scene-nodes.js";

/** A node's clock is told as off from here on, in milliseconds. */
const CLOCK_OFF_MS = 500;
/** The death of a node is told for so long, in milliseconds. */
const DEATH_TOLD_MS = 60_000;

/** What is the matter with nodes, their leader and their medium. */
export function nodeCauses(scene: FindingScene): Cause[] {
  const present = presentNodes(scene);
  return [
    ...present.flatMap((node) => blockedLoop(scene, node)),
    ...present.flatMap((node) => suspect(scene, node)),
    ...scene.nodes.flatMap((node) => death(scene, node)),
    ...noLeader(scene, present),
    ...present.flatMap(clockOff),
    ...redisAway(scene, present),
    ...versionsDiffer(present),
  ];
}

function blockedLoop({ nowMs }: FindingScene, node: SceneNode): Cause[] {
  const blocked = node.vitals?.blocked;
  if (!blocked) return [];
  const forMs = blocked.forMs + (node.beatAgeMs ?? 0);
  const facts = {
    ...namesOf(node),
    blockedSince: new Date(Math.round(nowMs - forMs)).toISOString(),
    blockedMs: Math.round(forMs),
    inFlight: node.vitals?.inFlight ?? 0,
    running: runningIn(blocked),
    task: blocked.lastStarted,
  };
  return [causeOf("LOOP_BLOCKED", facts, { subject: node.bootId })];
}

function suspect({ limits }: FindingScene, node: SceneNode): Cause[] {
  if (node.state !== "suspect" || node.vitals?.blocked) return [];
  const silentMs = Math.round(node.beatAgeMs ?? limits.suspectAfterMs);
  const leftMs = Math.max(0, limits.deadAfterMs - silentMs);
  return [causeOf("NODE_SUSPECT", { ...namesOf(node), silentMs, leftMs }, { subject: node.bootId })];
}

function death({ nowMs, limits }: FindingScene, node: SceneNode): Cause[] {
  const { state, endedAt, vitals } = node;
  if (state !== "dead" || endedAt === null || nowMs - endedAt > DEATH_TOLD_MS) return [];
  const facts = {
    ...namesOf(node),
    diedAt: new Date(endedAt).toISOString(),
    silentMs: limits.deadAfterMs,
    slots: vitals?.ownedSlots ?? null,
    inFlight: vitals?.inFlight ?? null,
    running: vitals?.blocked ? runningIn(vitals.blocked) : [],
  };
  return [causeOf("NODE_DIED", facts, { subject: node.bootId })];
}

/**
 * Nobody holds the term, or who holds it is not there. A leader that is suspect is told as suspect, as long as the
 * others wait for it.
 */
function noLeader({ leader, limits }: FindingScene, present: readonly SceneNode[]): Cause[] {
  const isAwaited = ({ state, beatAgeMs }: SceneNode): boolean =>
    state !== "suspect" || (beatAgeMs ?? 0) <= limits.deadAfterMs;
  if (present.length === 0 || present.some((node) => node.bootId === leader && isAwaited(node))) return [];
  return [causeOf("NO_LEADER", { nodes: present.length })];
}

function clockOff(node: SceneNode): Cause[] {
  const offMs = node.vitals?.clockOffsetMs ?? 0;
  if (Math.abs(offMs) < CLOCK_OFF_MS) return [];
  return [causeOf("CLOCK_OFF", { ...namesOf(node), offMs: Math.round(offMs) }, { subject: node.bootId })];
}

function redisAway({ self, limits }: FindingScene, present: readonly SceneNode[]): Cause[] {
  if (self.redis === "none") return [];
  const isAway = ({ label, vitals }: SceneNode): boolean =>
    label === self.label ? self.redis === "away" : (vitals?.away?.includes("redis") ?? false);
  const away = present.filter(isAway);
  const { sweepMs } = limits;
  if (away.length > 0 && away.length === present.length)
    return [causeOf("REDIS_AWAY", { nodes: present.map(({ label }) => label), sweepMs })];
  return away.map((node) => {
    const facts = { ...namesOf(node), sweepMs, slots: node.vitals?.ownedSlots ?? 0 };
    return causeOf("NODE_WITHOUT_REDIS", facts, { subject: node.bootId });
  });
}

function versionsDiffer(present: readonly SceneNode[]): Cause[] {
  const versions = [...new Set(present.map(({ version }) => version))].sort();
  if (versions.length < 2) return [];
  // The version of the node that joined last is the one that is rolled out.
  const newest = [...present].sort((one, other) => other.joinedAt - one.joinedAt)[0]!.version;
  const remaining = present.filter(({ version }) => version !== newest).map(({ label }) => label);
  const facts = { versions, newest, remaining };
  return [causeOf("VERSIONS_DIFFER", facts)];
}

function namesOf({ label, name }: SceneNode): { node: string; nodeName: string } {
  return { node: label, nodeName: name };
}

/** `report.render × 2`, at most three. */
function runningIn({ running }: BlockedLoop): string[] {
  return running.slice(0, 3).map(({ type, count }) => (count === 1 ? type : `${type} × ${count}`));
}
