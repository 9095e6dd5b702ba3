import { payloadVersionOf } from "./delivery.js";
import type { NewTask, PayloadFault, Task } from "./task.js";

/** Why merges must leave nothing behind. */
export interface MergeMisfit {
  /** `VALIDATION_FAILED`: what they come to does not fit; `MERGE_CONFLICT`: the payloads are of different versions. */
  code: "VALIDATION_FAILED" | "MERGE_CONFLICT";
  faults: readonly PayloadFault[];
}

/**
 * Whether what merges came to may stay; null: it may. Merges without a judge may always. Where several were folded
 * together, the judge of the last one speaks for all.
 *
 * @param stored the task as they left it; that of a merge which found its key free is its own
 * @example misfitOf([merge], task) // { code: "VALIDATION_FAILED", faults: [{ path: "payload.n", message: "must be <= 5" }] }
 */
export function misfitOf(
  merges: readonly Pick<NewTask, "judge" | "delivery">[],
  stored: Pick<Task, "payload" | "delivery">,
): MergeMisfit | null {
  const judged = merges.filter(({ judge }) => judge !== undefined);
  const judge = judged.at(-1)?.judge;
  if (!judge) return null;
  const version = payloadVersionOf(stored);
  const other = judged.find((merge) => payloadVersionOf(merge) !== version);
  if (other) return { code: "MERGE_CONFLICT", faults: [otherVersion(payloadVersionOf(other), version)] };
  const faults = judge(stored.payload);
  return faults.length > 0 ? { code: "VALIDATION_FAILED", faults } : null;
}

function otherVersion(given: number | null, stored: number | null): PayloadFault {
  const [one, other] = [given, stored].map((version) => (version === null ? "no version" : `version ${version}`));
  return { path: "payload", message: `has ${one}, and the stored payload has ${other}: only equal ones can be merged` };
}
