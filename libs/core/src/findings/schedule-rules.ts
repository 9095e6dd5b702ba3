import type { Cause, FindingCode, FindingValues } from "../reports/finding.js";
import { MAX_COUNTED_STALLED, type StalledSchedules, type StallReason } from "../reports/stalled-schedules.js";
import type { TypeId } from "../task/task.js";
import { causeOf } from "./cause.js";
import type { FindingScene } from "./finding-scene.js";
import { lastNodeFacts, lastNodeOf, presentNodes } from "./scene-nodes.js";

/** Nodes read each few seconds which types there are: that long nobody can say that none runs a new one. */
const NEW_TYPE_MS = 10_000;
/**
 * Nothing is overdue, so an operator who restarts the only node of a type has this long, in milliseconds. It is longer
 * than the minute after which a schedule of code is taken back: that is told for itself.
 */
const RESTART_MS = 90_000;

/**
 * What keeps schedules from running: one cause for each type and reason, however many schedules it stops.
 *
 * @param told the causes about types: a type whose tasks are overdue without a node is told with its schedules there
 */
export function scheduleCauses(scene: FindingScene, told: readonly Cause[]): Cause[] {
  const isExplained = ({ typeId }: StalledSchedules): boolean =>
    told.some(({ code, subject }) => code === "TYPE_WITHOUT_NODE" && subject === String(typeId));
  return scene.stalledSchedules
    .filter((stalled) => stalled.reason !== "NO_NODE" || (isWithoutNode(scene, stalled) && !isExplained(stalled)))
    .map((stalled) => cause(scene, stalled));
}

/** The schedules that wait with the tasks of a type that no node runs. */
export function waitingSchedules({ stalledSchedules }: FindingScene, typeId: TypeId): FindingValues {
  const waiting = stalledSchedules.find((stalled) => stalled.typeId === typeId && stalled.reason === "NO_NODE");
  return waiting === undefined ? {} : namesOf(waiting);
}

const CODE_OF: Readonly<Record<StallReason, FindingCode>> = {
  NO_NODE: "SCHEDULE_WITHOUT_NODE",
  FAILURES: "SCHEDULE_PAUSED",
  UNANNOUNCED: "SCHEDULE_UNANNOUNCED",
};

function cause(scene: FindingScene, stalled: StalledSchedules): Cause {
  const { reason, typeId, type, namespace, failures, since } = stalled;
  const pausedAt = new Date(since).toISOString();
  const facts: Readonly<Record<StallReason, FindingValues>> = {
    NO_NODE: lastNodeFacts(lastNodeOf(scene, typeId)),
    FAILURES: { failures, pausedAt },
    UNANNOUNCED: { pausedAt },
  };
  return causeOf(
    CODE_OF[reason],
    { type, ...namesOf(stalled), ...facts[reason] },
    { subject: String(typeId), namespace },
  );
}

/** Without the figures of types nobody knows whether something is overdue, which would be told with the type. */
function isWithoutNode(scene: FindingScene, { typeId, since }: StalledSchedules): boolean {
  if (scene.types === null) return false;
  if (scene.types.some((figures) => figures.typeId === typeId && figures.delivery === "pull")) return false;
  if (presentNodes(scene).some(({ typeIds }) => typeIds.includes(typeId))) return false;
  const lastEndedAt = lastNodeOf(scene, typeId)?.endedAt ?? Number.NEGATIVE_INFINITY;
  return scene.nowMs - since >= NEW_TYPE_MS && scene.nowMs - lastEndedAt >= RESTART_MS;
}

function namesOf({ names, count }: StalledSchedules): FindingValues {
  return { schedules: names, scheduleCount: count, areMoreSchedules: count > MAX_COUNTED_STALLED };
}
