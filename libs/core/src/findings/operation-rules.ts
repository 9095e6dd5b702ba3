import type { Cause } from "../reports/finding.js";
import { causeOf } from "./cause.js";
import type { FindingScene } from "./finding-scene.js";

/** Operations that need somebody, each by itself: few of a namespace can be open. */
export function operationCauses({ troubledOperations, nowMs }: FindingScene): Cause[] {
  return troubledOperations.map(({ trouble, namespace, id, action, at, changed, estimate }) => {
    const facts = { operationId: id, action, changed, estimate };
    const about = { subject: id, namespace };
    return trouble === "FAILING"
      ? causeOf("OPERATION_STOPPED", { ...facts, stoppedAt: new Date(at).toISOString() }, about)
      : causeOf("OPERATION_HELD", { ...facts, heldForMs: nowMs - at }, about);
  });
}
