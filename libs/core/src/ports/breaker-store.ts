import type { BootId, EpochMs } from "../task/task.js";

/** What rests while its breaker is not closed: a type, or a host that webhooks of a namespace are delivered to. */
export interface BreakerSubject {
  kind: "type" | "host";
  namespace: string;
  /** The type's name; or the host, with its port where the URL names one. */
  name: string;
}

/** `FAILURES`: too many attempts failed. `RETRY_AFTER`: the host has asked for a rest. */
export type BreakerReason = "FAILURES" | "RETRY_AFTER";

/**
 * A breaker that is not closed. `open`: nothing of its subject starts until `until`; then one node tries one task.
 * `half`: that node does so now, and nobody else until `until`. A host's is never half: it is over at its end.
 */
export interface Breaker extends BreakerSubject {
  state: "open" | "half";
  reason: BreakerReason;
  openedAt: EpochMs;
  until: EpochMs;
  /** For how long it was opened last, in milliseconds. A trial that fails opens it for twice as long. */
  openForMs: number;
  /** The node that tries; null: none. */
  trialBy: BootId | null;
  /** Trials that have failed since it opened. */
  failedTrials: number;
}

/** The longest that a breaker opens for at a time, after trials that failed. */
export const MAX_OPEN_MS = 600_000;

/** The longest rest that a host is given; one that asks for more is asked again. */
export const MAX_HOST_REST_MS = 3_600_000;

/** How many hosts of a namespace may rest at once. Further ones rest on the nodes alone that they have asked. */
export const MAX_RESTING_HOSTS = 1_000;

/** A type's breaker that is over for so long, and that nobody has tried, is closed: there is nothing to try it with. */
export const BREAKER_KEPT_MS = 3_600_000;

/**
 * One change of a breaker.
 *
 * - `open`: for so long from now on; one that is open already ends at the later end, and one that is half stays so
 * - `try`: the node wants to try one task; `forMs`: nobody else does meanwhile. Granted when the breaker's time is
 *   over, or when the node that tries is not alive
 * - `keep`: the task of the node's trial takes this long at most from now on
 * - `failed`, `succeeded`: what came of the node's trial: it is open again, or closed
 * - `close`: somebody closes it
 */
export type BreakerChange = { subject: BreakerSubject } & (
  | { kind: "open"; reason: BreakerReason; forMs: number }
  | { kind: "try"; bootId: BootId; forMs: number }
  | { kind: "keep"; bootId: BootId; forMs: number }
  | { kind: "failed"; bootId: BootId }
  | { kind: "succeeded"; bootId: BootId }
  | { kind: "close"; actor: string }
);

/** `changed`: whether it did anything; a try that did not is refused. `breaker`: as it is now; null: it is closed. */
export interface BreakerReply {
  changed: boolean;
  breaker: Breaker | null;
}

/**
 * The breakers that are not closed, for all nodes. They keep work from being tried in vain, and no promise rests on
 * them: a node goes by what it has read within some seconds. Only who tries is decided by the row.
 */
export interface BreakerStore {
  readBreakers(): Promise<Breaker[]>;
  changeBreaker(change: BreakerChange): Promise<BreakerReply>;
}
