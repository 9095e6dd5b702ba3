import {
  type Breaker,
  type BreakerChange,
  breakerEvent,
  type BreakerReply,
  type BreakerSubject,
  decideBreaker,
  keptBreaker,
  type KnownBreaker,
} from "@tickwheel/core";
import type { MemorySession } from "../database/memory-connection.js";
import type { StatementScope } from "../database/statement-scope.js";
import { copyOf } from "../system/copy-of.js";
import { tell } from "./event-statements.js";

export function readBreakers({ breakers, now }: StatementScope): Breaker[] {
  const kept = breakers.values().filter((breaker) => keptBreaker({ breaker, now }) !== null);
  return copyOf(kept.sort((one, other) => (breakerPlace(one) < breakerPlace(other) ? -1 : 1)));
}

/** One transaction: the row is locked, decided about, and written. */
export async function changeBreaker(session: MemorySession, change: BreakerChange): Promise<BreakerReply> {
  for (;;) {
    const known = await session.run((scope) => lockBreaker(scope, change.subject));
    const before = keptBreaker(known);
    const after = decideBreaker(change, known);
    if (after === before) return { changed: false, breaker: copyOf(after) };
    // Somebody else has opened it meanwhile: now there is a row to hold.
    if (!(await session.run((scope) => write(scope, { known, after, change })))) continue;
    await session.run(async (scope) => {
      if (before === null) await forgetBreakers(scope);
      const event = breakerEvent(change, { before, after });
      if (event !== null) tell(scope, event);
    });
    return { changed: true, breaker: copyOf(after) };
  }
}

/** The clock is read after the wait for another change. */
async function lockBreaker(scope: StatementScope, subject: BreakerSubject): Promise<KnownBreaker> {
  const { breakers, nodes } = scope;
  const breaker = await breakers.lock(breakerPlace(subject));
  const { now } = scope;
  const isResting = ({ kind, namespace, until }: Breaker): boolean =>
    kind === "host" && namespace === subject.namespace && until > now;
  const trialNode = breaker?.trialBy ? nodes.get(breaker.trialBy) : undefined;
  return {
    now,
    breaker,
    isTrialNodeAlive: trialNode !== undefined && trialNode.state !== "dead",
    restingHosts: breakers.values().filter(isResting).length,
  };
}

/** False: there was no row, and now there is one. */
async function write(
  { breakers }: StatementScope,
  { known, after, change }: { known: KnownBreaker; after: Breaker | null; change: BreakerChange },
): Promise<boolean> {
  const place = breakerPlace(change.subject);
  if (known.breaker === null) return (await breakers.insertOrLock(place, copyOf(after!))) === null;
  await breakers.write(place, after === null ? undefined : copyOf(after));
  return true;
}

async function forgetBreakers({ breakers, now }: StatementScope): Promise<void> {
  for (const row of breakers.values()) {
    const isOver = (breaker: Breaker): boolean => keptBreaker({ breaker, now }) === null;
    const place = breakerPlace(row);
    if (isOver(row) && (await breakers.lock(place, isOver, { locked: "skip" }))) await breakers.write(place, undefined);
  }
}

/** By what the row of a breaker is found, in the order in which they are told. */
export function breakerPlace({ kind, namespace, name }: BreakerSubject): string {
  return JSON.stringify([kind, namespace, name]);
}
