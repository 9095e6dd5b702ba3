import type { BootId } from "@tickwheel/core";

/**
 * [boot-identity], [no-in-doubt-leak]: what happens to the tasks that a claim's answer brings. They belong to the
 * incarnation that sent the claim. If the node has rejoined under another boot id, they are given back at once, and
 * reaped if that comes too late. (An answer after its time-out never gets here: see `within-time.ts`.)
 */
export function answerOf(claim: { sentBy: BootId; bootId: BootId | null }): "accept" | "decline" {
  return claim.sentBy === claim.bootId ? "accept" : "decline";
}
