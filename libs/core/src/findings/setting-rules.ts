import { MAX_COUNTED_OVERDUE, type TypeFigures } from "../ports/figure-store.js";
import type { Cause } from "../reports/finding.js";
import { compareRevisions, NO_REVISION, type Pause } from "../ports/setting-store.js";
import { isOwnType } from "../settings/own-types.js";
import { isPauseInForce } from "../settings/pause-in-force.js";
import { causeOf } from "./cause.js";
import type { FindingScene, SceneNode } from "./finding-scene.js";
import { presentNodes } from "./scene-nodes.js";

/** A pause is worth a warning when one of its tasks has been overdue for so long, in milliseconds. */
const LONG_WAIT_MS = 3_600_000;
/** A node obeys within milliseconds, or its loop is blocked; after so long somebody should look, in milliseconds. */
const OBEYS_WITHIN_MS = 15_000;

/** What people have paused, and nodes that do not obey. */
export function settingCauses(scene: FindingScene): Cause[] {
  return [...pausesInForce(scene).map((pause) => paused(scene, pause)), ...notObeyed(scene)];
}

/** The types of which nothing starts. */
export function isPaused(scene: FindingScene, { typeId, namespace, type }: TypeFigures): boolean {
  return pausesInForce(scene).some((pause) => isOf(pause, { typeId, namespace, type }));
}

function isOf(pause: Pause, { typeId, namespace, type }: Pick<TypeFigures, "typeId" | "namespace" | "type">): boolean {
  if (pause.typeId !== null) return pause.typeId === typeId;
  return pause.namespace === namespace && !isOwnType(type);
}

/** Keys are too many to be told, and each is about one thing. */
function pausesInForce({ settings, nowMs }: FindingScene): Pause[] {
  return (settings?.pauses ?? []).filter((pause) => pause.key === null && isPauseInForce(pause, nowMs));
}

function paused(scene: FindingScene, pause: Pause): Cause {
  const { namespace, typeId, pausedAt, until, reason, pausedBy } = pause;
  const ofIt = (scene.types ?? []).filter((figures) => isOf(pause, figures));
  const dueAts = ofIt.flatMap(({ oldestDueAt }) => oldestDueAt ?? []);
  const oldestMs = dueAts.length === 0 ? 0 : Math.max(0, scene.typesCountedAt - Math.min(...dueAts));
  const facts = {
    type: typeId === null ? null : (ofIt[0]?.type ?? String(typeId)),
    namespace,
    since: new Date(pausedAt).toISOString(),
    until: until === null ? null : new Date(until).toISOString(),
    by: pausedBy,
    reason,
    overdue: ofIt.reduce((sum, { overdue }) => sum + overdue, 0),
    isAtLeast: ofIt.some(({ overdue }) => overdue > MAX_COUNTED_OVERDUE),
    oldestMs,
  };
  const cause = causeOf("TYPE_PAUSED", facts, { subject: typeId === null ? namespace : String(typeId), namespace });
  return oldestMs < LONG_WAIT_MS ? cause : { ...cause, severity: "warning" };
}

function notObeyed(scene: FindingScene): Cause[] {
  const { settings } = scene;
  if (settings === null || settings.knownForMs < OBEYS_WITHIN_MS) return [];
  const isBehind = ({ vitals, state, roles }: SceneNode): boolean => {
    const [timeline, number] = vitals?.settings ?? [NO_REVISION.timeline, NO_REVISION.number];
    const works = (state === "live" || state === "draining") && roles.includes("engine");
    return works && compareRevisions({ timeline, number }, settings.revision) < 0;
  };
  return presentNodes(scene)
    .filter(isBehind)
    .map(({ bootId, label, name }) =>
      causeOf(
        "SETTINGS_NOT_OBEYED",
        { node: label, nodeName: name, forMs: Math.round(settings.knownForMs) },
        { subject: bootId },
      ),
    );
}
