import {
  type Breaker,
  BREAKER_KEPT_MS,
  type BreakerChange,
  MAX_OPEN_MS,
  MAX_RESTING_HOSTS,
} from "../ports/breaker-store.js";
import type { ClusterEventDraft } from "../ports/cluster-event.js";
import type { EpochMs } from "../task/task.js";

/** What a store knows of a breaker while it holds its row. */
export interface KnownBreaker {
  now: EpochMs;
  /** Null: there is no row. */
  breaker: Breaker | null;
  /** Whether the node that tries is live, or draining. */
  isTrialNodeAlive: boolean;
  /** How many hosts of the namespace rest. */
  restingHosts: number;
}

/**
 * A breaker as long as it says anything: a host's until it is over, a type's for an hour longer. Null: it is closed.
 */
export function keptBreaker({ breaker, now }: Pick<KnownBreaker, "breaker" | "now">): Breaker | null {
  if (breaker === null) return null;
  const keptMs = breaker.kind === "host" ? 0 : BREAKER_KEPT_MS;
  return breaker.until > now - keptMs ? breaker : null;
}

/**
 * [one-trial]: the breaker after a change; null: it is closed; what {@link keptBreaker} answers: nothing changes. The
 * stores agree, since each asks this.
 */
export function decideBreaker(change: BreakerChange, known: KnownBreaker): Breaker | null {
  const { now, isTrialNodeAlive } = known;
  const breaker = keptBreaker(known);
  if (change.kind === "open") return openedBreaker(change, breaker, known);
  if (breaker === null || change.kind === "close") return null;
  if (change.kind === "try") {
    const isHeld = breaker.state === "open" || isTrialNodeAlive;
    if (breaker.until > now && isHeld) return breaker;
    return { ...breaker, state: "half", trialBy: change.bootId, until: now + change.forMs };
  }
  if (breaker.state !== "half" || breaker.trialBy !== change.bootId) return breaker;
  if (change.kind === "succeeded") return null;
  if (change.kind === "keep") return { ...breaker, until: Math.max(breaker.until, now + change.forMs) };
  const openForMs = Math.min(2 * breaker.openForMs, MAX_OPEN_MS);
  const failedTrials = breaker.failedTrials + 1;
  return { ...breaker, state: "open", trialBy: null, openForMs, until: now + openForMs, failedTrials };
}

function openedBreaker(
  { subject, reason, forMs }: Extract<BreakerChange, { kind: "open" }>,
  breaker: Breaker | null,
  { now, restingHosts }: KnownBreaker,
): Breaker | null {
  const until = now + forMs;
  if (breaker === null) {
    if (subject.kind === "host" && restingHosts >= MAX_RESTING_HOSTS) return null;
    return {
      ...subject,
      state: "open",
      reason,
      openedAt: now,
      until,
      openForMs: forMs,
      trialBy: null,
      failedTrials: 0,
    };
  }
  if (breaker.state === "half" || breaker.until >= until) return breaker;
  return { ...breaker, reason, until, openForMs: Math.max(breaker.openForMs, forMs) };
}

/** What the cluster's events tell of a change of a type's breaker; null: nothing. */
export function breakerEvent(
  change: BreakerChange,
  { before, after }: { before: Breaker | null; after: Breaker | null },
): ClusterEventDraft | null {
  const { kind, namespace, name: type } = change.subject;
  if (kind !== "type") return null;
  const bootId = "bootId" in change ? change.bootId : null;
  if (after === null && before !== null)
    return {
      kind: "BREAKER_CLOSED",
      bootId,
      facts: { namespace, type, openedAt: before.openedAt, actor: change.kind === "close" ? change.actor : null },
    };
  if (after === null || before !== null) return null;
  return { kind: "BREAKER_OPENED", bootId, facts: { namespace, type, forMs: after.openForMs } };
}
