import type { Leadership, Term } from "@tickwheel/core";
import type { StatementScope } from "./statement-scope.js";
import { ONLY_ROW } from "./tables.js";

export function isHeldBy(leader: Leadership): (term: Term) => boolean {
  return ({ term, holder }) => term === leader.term && holder === leader.holder;
}

/**
 * The last lock of a leader's transaction: the term stays unchanged until the commit. False: another node holds the
 * term.
 */
export async function lockTerm(scope: StatementScope, leader: Leadership): Promise<boolean> {
  return (await scope.terms.lock(ONLY_ROW, isHeldBy(leader), { mode: "share" })) !== null;
}
