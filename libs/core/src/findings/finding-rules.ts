import type { Cause, FindingCode } from "../reports/finding.js";
import { MAX_COUNTED_OVERDUE, type TypeFigures } from "../ports/figure-store.js";
import { batchCauses } from "./batch-rules.js";
import { operationCauses } from "./operation-rules.js";
import { causeOf } from "./cause.js";
import { deadCauses } from "./dead-rules.js";
import { inNeed } from "./finding-order.js";
import { nodeCauses } from "./node-rules.js";
import type { FindingScene } from "./finding-scene.js";
import { isFull, lastNodeFacts, lastNodeOf, presentNodes } from "./scene-nodes.js";
import { scheduleCauses, waitingSchedules } from "./schedule-rules.js";
import { breakerCauses, isBreakerOpen } from "./breaker-rules.js";
import { serverCauses, snapshotCauses } from "./server-rules.js";
import { isLimitFull, isPaused, settingCauses } from "./setting-rules.js";

/** A task is told as overdue from so long after its time on, in milliseconds: what is taken up just now is not. */
const OVERDUE_AFTER_MS = 5_000;
/** Places are told as taken while tasks wait for one for so long, in milliseconds. */
const PLACE_AFTER_MS = 1_000;
/** Nobody is told to fetch tasks of a type before one has waited so long, in milliseconds. */
const CONSUMER_AFTER_MS = 60_000;
/** How many attempts must have failed within five minutes, and which share of all. */
export const FAILING = { least: 10, share: 0.2 };

/**
 * What is the matter with a cluster: one cause for what has one reason. Pure.
 *
 * - Without Postgres nothing is known of the rest, so that is the only cause.
 * - Tasks that are overdue for a reason that is told (no node, no place, a blocked, silent or dead node) are told
 *   there, and are not told as unexplained.
 * - Tasks of a paused type wait as they should: they are told with the pause.
 * - Schedules whose type has overdue tasks and no node are told with the type.
 * - A node that is dead is not told as suspect or blocked, and one that is blocked is not told as suspect.
 *
 * @returns the causes, worst first
 */
export function causesOf(scene: FindingScene): Cause[] {
  const away = postgresAway(scene);
  if (away) return [away];
  const ofNodes = nodeCauses(scene);
  const ofTypes = (scene.types ?? []).flatMap((figures) => [
    ...typeWithoutNode(scene, figures),
    ...queueWithoutConsumer(scene, figures),
    ...typeFailing(figures),
  ]);
  const places = placesTaken(scene);
  const ofSchedules = scheduleCauses(scene, ofTypes);
  const told = [
    ...ofNodes,
    ...ofTypes,
    ...ofSchedules,
    ...batchCauses(scene),
    ...operationCauses(scene),
    ...deadCauses(scene),
    ...places,
    ...settingCauses(scene),
    ...breakerCauses(scene),
    ...policiesDiffer(scene),
    ...serverCauses(scene),
    ...snapshotCauses(scene),
  ];
  return [...told, ...overdueUnexplained(scene, told), ...overCapacity(scene)].sort(inNeed);
}

function postgresAway({ self, nodes }: FindingScene): Cause | null {
  if (self.postgresAwayForMs === null) return null;
  const others = nodes.filter(({ label, state }) => label !== self.label && (state === "live" || state === "draining"));
  // Each beat is written to Postgres first, so one that moves on shows that its node reaches Postgres.
  const reaching = others.filter(({ beatAgeMs }) => beatAgeMs !== null && beatAgeMs < self.postgresAwayForMs! / 2);
  const isAlone = reaching.length > 0;
  const facts = { node: self.label, isAlone, nodes: others.length + 1, awayForMs: self.postgresAwayForMs };
  return causeOf("POSTGRES_AWAY", facts);
}

function typeWithoutNode(scene: FindingScene, figures: TypeFigures): Cause[] {
  const { oldestDueAt, overdue, typeId, type, namespace, delivery } = figures;
  if (oldestDueAt === null || overdue === 0 || delivery === "pull") return [];
  if (presentNodes(scene).some(({ typeIds }) => typeIds.includes(typeId))) return [];
  const facts = {
    type,
    overdue,
    isAtLeast: overdue > MAX_COUNTED_OVERDUE,
    oldestMs: waitedMs(scene, figures),
    ...waitingSchedules(scene, typeId),
    ...lastNodeFacts(lastNodeOf(scene, typeId)),
  };
  return [causeOf("TYPE_WITHOUT_NODE", facts, { subject: String(typeId), namespace, knownAt: scene.typesCountedAt })];
}

/** Consumers come by at least once a minute, or they have gone. */
function queueWithoutConsumer(scene: FindingScene, figures: TypeFigures): Cause[] {
  const { overdue, typeId, type, namespace, delivery, lastMinuteStarted } = figures;
  if (delivery !== "pull" || overdue === 0 || lastMinuteStarted > 0) return [];
  if (waitedMs(scene, figures) < CONSUMER_AFTER_MS) return [];
  if (isPaused(scene, figures) || isLimitFull(scene, figures)) return [];
  const isAtLeast = overdue > MAX_COUNTED_OVERDUE;
  const facts = { type, overdue, isAtLeast, oldestMs: waitedMs(scene, figures), running: figures.running };
  const about = { subject: String(typeId), namespace, knownAt: scene.typesCountedAt };
  return [causeOf("QUEUE_WITHOUT_CONSUMER", facts, about)];
}

function typeFailing({ typeId, type, namespace, ...figures }: TypeFigures): Cause[] {
  const { lastFailed, lastStarted, lastDead, lastError } = figures;
  const attempts = Math.max(lastStarted, lastFailed);
  if (lastFailed < FAILING.least || lastFailed < attempts * FAILING.share) return [];
  const facts = { type, share: lastFailed / attempts, failed: lastFailed, dead: lastDead, error: lastError };
  return [causeOf("TYPE_FAILING", facts, { subject: String(typeId), namespace })];
}

/** All places of all nodes that run tasks, while tasks that could run wait for one. */
function placesTaken(scene: FindingScene): Cause[] {
  const nodes = presentNodes(scene).map(({ vitals }) => ({
    places: vitals?.places ?? 0,
    inFlight: vitals?.inFlight ?? 0,
  }));
  if (nodes.length === 0 || !nodes.every(isFull)) return [];
  const waiting = served(scene).filter((figures) => waitedMs(scene, figures) >= PLACE_AFTER_MS);
  if (waiting.length === 0) return [];
  const most = [...(scene.types ?? [])].sort((one, other) => other.running - one.running)[0]!;
  const facts = {
    places: nodes.reduce((sum, { places }) => sum + places, 0),
    taken: nodes.reduce((sum, { inFlight }) => sum + inFlight, 0),
    nodes: nodes.length,
    waitMs: Math.max(...waiting.map((figures) => waitedMs(scene, figures))),
    type: most.type,
    typeRunning: most.running,
  };
  return [causeOf("PLACES_TAKEN", facts, { knownAt: scene.typesCountedAt })];
}

/** A type of which some tasks run waits for those: it may have a limit of its own. */
function overdueUnexplained(scene: FindingScene, told: readonly Cause[]): Cause[] {
  if (told.some(({ code }) => EXPLAINS_OVERDUE.has(code))) return [];
  const stuck = served(scene).filter(
    (figures) => waitedMs(scene, figures) >= OVERDUE_AFTER_MS && figures.startedLately === 0 && figures.running === 0,
  );
  if (stuck.length === 0) return [];
  const overdue = stuck.reduce((sum, figures) => sum + figures.overdue, 0);
  const facts = {
    overdue,
    isAtLeast: stuck.some((figures) => figures.overdue > MAX_COUNTED_OVERDUE),
    oldestMs: Math.max(...stuck.map((figures) => waitedMs(scene, figures))),
    types: stuck.map(({ type }) => type).slice(0, 10),
  };
  return [causeOf("OVERDUE_UNEXPLAINED", facts, { knownAt: scene.typesCountedAt })];
}

/** Some of the tasks that are owned by such a node wait until another one takes them. */
const EXPLAINS_OVERDUE: ReadonlySet<FindingCode> = new Set([
  "PLACES_TAKEN",
  "LOOP_BLOCKED",
  "NODE_SUSPECT",
  "NODE_DIED",
]);

function policiesDiffer({ policyConflicts }: FindingScene): Cause[] {
  return policyConflicts.map(({ typeId, namespace, type, others }) =>
    causeOf("POLICIES_DIFFER", { type, others }, { subject: String(typeId), namespace }),
  );
}

function overCapacity({ overCapacity: over }: FindingScene): Cause[] {
  if (over === null) return [];
  const facts = { ...over, at: new Date(over.at).toISOString() };
  return [causeOf("FUTURE_OVER_CAPACITY", facts)];
}

/**
 * Types with overdue tasks that a present node runs, and that should start: nothing that is told elsewhere holds them.
 */
function served(scene: FindingScene): TypeFigures[] {
  const run = new Set(presentNodes(scene).flatMap(({ typeIds }) => typeIds));
  return (scene.types ?? []).filter(
    (figures) =>
      figures.overdue > 0 &&
      run.has(figures.typeId) &&
      ![isPaused, isBreakerOpen, isLimitFull].some((waits) => waits(scene, figures)),
  );
}

/** At the time of the count: what was overdue then may have started since. */
function waitedMs({ typesCountedAt }: FindingScene, { oldestDueAt }: TypeFigures): number {
  return oldestDueAt === null ? 0 : Math.max(0, typesCountedAt - oldestDueAt);
}
