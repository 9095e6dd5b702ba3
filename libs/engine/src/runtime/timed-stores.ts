import type { Clock, LeaseStore, LimitStore, TaskStore } from "@tickwheel/core";
import { withinTime } from "./within-time.js";

/** The store's own time-out comes first; this one is for a reply that got lost on the way. */
const GRACE_MS = 500;

/** Statements of the engine's loops. Those of callers and of housekeeping have no bound of ours: the store has one. */
const TIMED: ReadonlySet<string | symbol> = new Set<keyof TaskStore>([
  "now",
  "timeline",
  "claim",
  "verifyStart",
  "suspectsAmong",
  "enterQuarantine",
  "settle",
  "release",
  "defer",
  "expire",
  "reap",
  "loadWindow",
  "findDue",
  "runningUnder",
  "deadOwners",
  "endBlockers",
  "listTypes",
  "occupiedTypes",
]);

/** A claim within limits is a transaction of four statements. */
const LIMITED_CLAIM_STATEMENTS = 4;

/**
 * The same store, whose hot statements fail with `STORE_UNAVAILABLE` when no reply came in little more than
 * `statementTimeoutMs`. A later reply is discarded, so the effect of such a statement is in doubt, and the reconciler
 * finds it.
 */
export function timedTaskStore(store: TaskStore, clock: Clock, statementTimeoutMs: number): TaskStore {
  return timed(store, TIMED, { clock, timeoutMs: statementTimeoutMs + GRACE_MS });
}

/** The same for claims within limits, and for whatever else of the limits the engine waits for. */
export function timedLimitStore(store: LimitStore, clock: Clock, statementTimeoutMs: number): LimitStore {
  const names = new Set<keyof LimitStore>(["claimLimited", "adoptPlaces", "takeTokens"]);
  return timed(store, names, { clock, timeoutMs: LIMITED_CLAIM_STATEMENTS * statementTimeoutMs + GRACE_MS });
}

/** A pull is a transaction of four statements, or of six where a limit was made meanwhile. */
const PULL_STATEMENTS = 6;

/** The same for leases. A pull without a reply in time is in doubt: its tasks come again when their leases end. */
export function timedLeaseStore(store: LeaseStore, clock: Clock, statementTimeoutMs: number): LeaseStore {
  const names = new Set<keyof LeaseStore>(["pull", "extend", "endLeases"]);
  return timed(store, names, { clock, timeoutMs: PULL_STATEMENTS * statementTimeoutMs + GRACE_MS });
}

function timed<S extends object>(
  store: S,
  names: ReadonlySet<string | symbol>,
  { clock, timeoutMs }: { clock: Clock; timeoutMs: number },
): S {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      const call = member.bind(target) as (...parameters: unknown[]) => Promise<unknown>;
      if (!names.has(name)) return call;
      return (...parameters: unknown[]) => withinTime(clock, timeoutMs, () => call(...parameters));
    },
  });
}
