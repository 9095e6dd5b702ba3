import { MAX_COUNTED_OVERDUE, type TypeFigures } from "../ports/figure-store.js";
import type { Cause } from "../reports/finding.js";
import { compareRevisions, NO_REVISION, type Pause } from "../ports/setting-store.js";
import { isSetFor } from "../settings/is-set-for.js";
import { isPauseInForce } from "../settings/pause-in-force.js";
import { causeOf } from "./cause.js";
import type { FindingScene, SceneNode } from "./finding-scene.js";
import { presentNodes } from "./scene-nodes.js";

/** A pause is worth a warning when one of its tasks has been overdue for so long, in milliseconds. */
const LONG_WAIT_MS = 3_600_000;
/** A node obeys within milliseconds, or its loop is blocked; after so long somebody should look, in milliseconds. */
const OBEYS_WITHIN_MS = 15_000;

/** A limit is told when it has been full for so long, in milliseconds. */
const FULL_FOR_MS = 300_000;

/** What people have paused or limited, and nodes that do not obey. */
export function settingCauses(scene: FindingScene): Cause[] {
  return [...pausesInForce(scene).map((pause) => paused(scene, pause)), ...limitsFull(scene), ...notObeyed(scene)];
}

/** Whether a limit lets no more tasks of a type start just now. */
export function isLimitFull(scene: FindingScene, figures: TypeFigures): boolean {
  return (scene.settings?.limits ?? []).some((limit) => limit.fullForMs !== null && isSetFor(limit, figures));
}

/** The types of which nothing starts. */
export function isPaused(scene: FindingScene, { typeId, namespace, type }: TypeFigures): boolean {
  return pausesInForce(scene).some((pause) => isSetFor(pause, { typeId, namespace, type }));
}

/** Keys are too many to be told, and each is about one thing. */
function pausesInForce({ settings, nowMs }: FindingScene): Pause[] {
  return (settings?.pauses ?? []).filter((pause) => pause.key === null && isPauseInForce(pause, nowMs));
}

function paused(scene: FindingScene, pause: Pause): Cause {
  const { namespace, typeId, pausedAt, until, reason, pausedBy } = pause;
  const ofIt = (scene.types ?? []).filter((figures) => isSetFor(pause, figures));
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

/** A limit that does what it is for is no fault: but those who wait should know that it is the bottleneck. */
function limitsFull(scene: FindingScene): Cause[] {
  return (scene.settings?.limits ?? []).flatMap((limit) => {
    const { fullForMs, typeId, namespace, maxRunning, rate } = limit;
    if (fullForMs === null || fullForMs < FULL_FOR_MS) return [];
    const ofIt = (scene.types ?? []).filter((figures) => isSetFor(limit, figures));
    const overdue = ofIt.reduce((sum, figures) => sum + figures.overdue, 0);
    if (overdue === 0) return [];
    const facts = {
      namespace,
      type: typeId === null ? null : (ofIt[0]?.type ?? String(typeId)),
      maxRunning,
      rateCount: rate?.count ?? null,
      ratePerMs: rate?.perMs ?? null,
      overdue,
      isAtLeast: ofIt.some((figures) => figures.overdue > MAX_COUNTED_OVERDUE),
      fullForMs: Math.round(fullForMs),
    };
    const subject = typeId === null ? namespace : String(typeId);
    return [causeOf("LIMIT_FULL", facts, { subject, namespace })];
  });
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
