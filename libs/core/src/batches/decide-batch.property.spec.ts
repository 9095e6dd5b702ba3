import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { type Batch, type BatchState, type FollowUp, liveMembers } from "./batch.js";
import { type BatchChange, type BatchScene, decideBatch } from "./decide-batch.js";

const MOST_MEMBERS = 100;
const FOLLOW_UP = { type: "after" } as FollowUp;
const NOW = 1_000;

const counts = fc
  .record({
    live: fc.nat(3),
    succeeded: fc.nat(60),
    dead: fc.nat(3),
    cancelled: fc.nat(60),
    expired: fc.nat(2),
  })
  .map(({ live, ...ended }) => ({
    total: live + ended.succeeded + ended.dead + ended.cancelled + ended.expired,
    ...ended,
  }));

const batch = fc
  .record({
    state: fc.constantFrom<BatchState>("filling", "open", "complete", "cancelled"),
    counts,
    onComplete: fc.constantFrom(null, FOLLOW_UP),
    onSuccess: fc.constantFrom(null, FOLLOW_UP),
    onSuccessId: fc.constantFrom(null, "made"),
    deadlineAt: fc.constantFrom(null, NOW - 1, NOW, NOW + 1),
    deadlineCheckedAt: fc.constantFrom(null, NOW - 1),
    failFast: fc.boolean(),
    retryDead: fc.boolean(),
    retryingSince: fc.constantFrom(null, NOW - 1),
    stop: fc.constantFrom(null, { reason: "FAIL_FAST" as const, at: NOW - 1, by: "batch" }),
    isStopping: fc.boolean(),
  })
  .map((some) => some as unknown as Batch);

const scene = fc.tuple(batch, fc.boolean()).map(([some, hasLive]): BatchScene => ({ batch: some, now: NOW, hasLive }));

function decided(seen: BatchScene): BatchChange {
  return decideBatch(seen, MOST_MEMBERS) ?? {};
}

const holds = (law: (seen: BatchScene, change: BatchChange) => void): void =>
  fc.assert(fc.property(scene, (seen) => law(seen, decided(seen))));

test("only an open batch without a live member completes, and none whose dead members are still to be retried", () => {
  holds(({ batch: { state, retryingSince, retryDead, deadlineCheckedAt, counts: seen, stop }, hasLive }, change) => {
    if (!change.completes) return;
    expect([state, hasLive]).toEqual(["open", false]);
    if (stop === null) {
      expect(retryingSince).toBeNull();
      expect(retryDead && seen.dead > 0 && deadlineCheckedAt === null).toBe(false);
    }
  });
});

test("a batch's follow-ups come with its end: the first in the change that completes, the second where all have succeeded", () => {
  holds(({ batch: { state, onComplete, onSuccess, onSuccessId, counts: seen } }, change) => {
    expect(change.makesOnComplete ?? false).toBe((change.completes ?? false) && onComplete !== null);
    if (!change.makesOnSuccess) return;
    expect(change.completes || state === "complete").toBe(true);
    expect([onSuccess, onSuccessId, seen.succeeded]).toEqual([FOLLOW_UP, null, seen.total]);
  });
});

test("a cancelled batch only stops its members", () => {
  holds(({ batch: { state } }, change) => {
    if (state === "cancelled") expect(Object.keys(change).filter((what) => what !== "hasStopped")).toEqual([]);
  });
});

test("a batch's deadline is checked once, not before its time, and dead members are retried by that check alone", () => {
  holds(({ batch: { deadlineAt, deadlineCheckedAt, retryDead, counts: seen } }, change) => {
    if (change.beginsRetries) expect([change.checksDeadline, retryDead, seen.dead > 0]).toEqual([true, true, true]);
    if (change.checksDeadline) expect([deadlineCheckedAt, deadlineAt! <= NOW]).toEqual([null, true]);
  });
});

test("a batch stops once: for its first dead member where it is to, or for too many members", () => {
  holds(({ batch: { stop, state, failFast, counts: seen } }, change) => {
    const isRunning = stop === null && (state === "filling" || state === "open");
    const reason = failFast && seen.dead > 0 ? "FAIL_FAST" : seen.total > MOST_MEMBERS ? "TOO_MANY_MEMBERS" : undefined;
    expect(change.stops).toBe(isRunning ? reason : undefined);
  });
});

test("every sealed batch whose members end comes to rest, complete or cancelled, when it is looked at again and again", () => {
  fc.assert(
    fc.property(scene, ({ batch: first }) => {
      let now: Batch = { ...first, state: first.state === "filling" ? "open" : first.state };
      const { total, succeeded } = now.counts;
      now = { ...now, counts: { ...now.counts, succeeded: succeeded + liveMembers(now.counts) } };
      for (let looks = 0; looks < 10; looks++) {
        const change = decideBatch({ batch: now, now: NOW + 10, hasLive: false }, MOST_MEMBERS);
        if (change === null) {
          expect(["complete", "cancelled"]).toContain(now.state === "open" && waits(now) ? "complete" : now.state);
          expect(now.counts.total).toBe(total);
          return;
        }
        now = applied(now, change);
      }
      throw new Error("it never comes to rest");
    }),
  );
});

/** Whether it waits for its deadline, or for retries that somebody carries out. */
function waits({ retryDead, deadlineAt, deadlineCheckedAt, retryingSince }: Batch): boolean {
  return retryingSince !== null || (retryDead && deadlineAt === null && deadlineCheckedAt === null);
}

function applied(before: Batch, change: BatchChange): Batch {
  return {
    ...before,
    ...(change.completes && { state: "complete" as const }),
    ...(change.checksDeadline && { deadlineCheckedAt: NOW + 10 }),
    ...(change.stops && { stop: { reason: change.stops, at: NOW, by: "batch" }, isStopping: true }),
    ...(change.hasStopped && { isStopping: false }),
    ...(change.makesOnSuccess && { onSuccessId: "made" }),
  };
}
