import { signal } from "@preact/signals";
import type { Call } from "../api/api-client.js";
import type { Problem } from "../api/problem.js";

export interface StoreAway {
  /** When this page met it first, in milliseconds of the epoch. */
  readonly since: number;
  readonly detail: string | null;
}

/** Set while Postgres does not answer the node that this page talks to. Then nothing can be changed. */
export const storeAway = signal<StoreAway | null>(null);

/** What a node answers from memory says nothing about Postgres. */
const fromMemory = ["/session", "/cluster", "/findings", "/types"];

export interface HeardAnswer extends Pick<Call, "path"> {
  /** Null: a good answer. */
  readonly problem: Problem | null;
  readonly now: number;
}

/** The state after one more answer. */
export function storeAfter(away: StoreAway | null, { path, problem, now }: HeardAnswer): StoreAway | null {
  if (problem?.code === "STORE_UNAVAILABLE") {
    return away && away.detail === problem.detail ? away : { since: away?.since ?? now, detail: problem.detail };
  }
  const isSure = !fromMemory.includes(path) && (problem === null || isAnswerOfStore(problem));
  return isSure ? null : away;
}

/** A refusal that needed a look at the store. */
function isAnswerOfStore({ status }: Problem): boolean {
  return status === 404 || status === 409 || status === 412;
}
