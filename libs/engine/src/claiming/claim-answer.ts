import type { BootId } from "@tickwheel/core";

/**
 * [boot-identity], [no-in-doubt-leak]: what becomes of the tasks that the answer to a claim brings. They belong to the
 * incarnation that sent it: where the node has rejoined under another boot id meanwhile, they are given back at once,
 * and reaped if that comes too late. (An answer that comes after its time-out never gets here: see `within-time.ts`.)
 */
export function answerOf(claim: { sentBy: BootId; bootId: BootId | null }): "accept" | "decline" {
  return claim.sentBy === claim.bootId ? "accept" : "decline";
}
