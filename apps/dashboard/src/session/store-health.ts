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

/** What a node may answer from memory says nothing about Postgres: figures that were dear are given for a minute. */
const fromMemory = ["/session", "/cluster", "/findings", "/types", "/stats"];
/** An answer of Postgres counts for more than a finding of its absence, which stays for so long after it is back. */
const findingLingersMs = 15_000;

/** When Postgres certainly answered last, in milliseconds of the epoch. */
let answeredAt = Number.NEGATIVE_INFINITY;

/** An answer was heard: see {@link storeAfter}. */
export function hearAnswer(answer: HeardAnswer): void {
  if (isOfStore(answer)) answeredAt = answer.now;
  storeAway.value = storeAfter(storeAway.peek(), answer);
}

/** The server's findings say that Postgres is away, although every answer so far came from memory. */
export function hearFindings(findings: readonly { readonly code: string }[], now: number): void {
  if (storeAway.peek() !== null || now - answeredAt < findingLingersMs) return;
  if (findings.some(({ code }) => code === "POSTGRES_AWAY")) storeAway.value = { since: now, detail: null };
}

export interface HeardAnswer extends Pick<Call, "path"> {
  /** Null: a good answer. */
  readonly problem: Problem | null;
  readonly now: number;
}

/** The state after one more answer. */
export function storeAfter(away: StoreAway | null, answer: HeardAnswer): StoreAway | null {
  const { problem, now } = answer;
  if (problem?.code === "STORE_UNAVAILABLE") {
    return away && away.detail === problem.detail ? away : { since: away?.since ?? now, detail: problem.detail };
  }
  return isOfStore(answer) ? null : away;
}

function isOfStore({ path, problem }: HeardAnswer): boolean {
  const [bare = ""] = path.split("?", 1);
  const isRemembered = fromMemory.some((known) => bare === known || bare.startsWith(`${known}/`));
  return !isRemembered && (problem === null || isAnswerOfStore(problem));
}

/** A refusal that needed a look at the store. */
function isAnswerOfStore({ status }: Problem): boolean {
  return status === 404 || status === 409 || status === 412;
}
