import type { Cause } from "../reports/finding.js";
import type { UnseenDead, UnseenDeadGroup } from "../reports/unseen-dead.js";
import { fingerprintOf } from "../errors/fingerprint.js";
import { causeOf } from "./cause.js";
import type { FindingScene } from "./finding-scene.js";

/** Causes of dead tasks that nobody has looked at, one by one; of each namespace one more for all that are not told. */
export function deadCauses({ unseenDead }: FindingScene): Cause[] {
  return unseenDead.flatMap((unseen) => [
    ...unseen.groups.map((group) => ofGroup(unseen.namespace, group)),
    ...ofOthers(unseen),
  ]);
}

function ofGroup(namespace: string, { typeId, type, print, title, count, lastAt, seenAt }: UnseenDeadGroup): Cause {
  const fingerprint = fingerprintOf(print);
  const facts = {
    type,
    fingerprint,
    error: title,
    dead: count,
    lastDiedAt: new Date(lastAt).toISOString(),
    seenAt: seenAt === null ? null : new Date(seenAt).toISOString(),
  };
  return causeOf("DEAD_TASKS", facts, { subject: `${typeId} ${fingerprint}`, namespace });
}

function ofOthers({ namespace, count, isAtLeast, groups }: UnseenDead): Cause[] {
  const others = count - groups.length;
  if (others === 0) return [];
  return [causeOf("DEAD_TASKS", { others, isAtLeast }, { subject: namespace, namespace })];
}
