import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { type Breaker, type BreakerChange, MAX_OPEN_MS, MAX_RESTING_HOSTS } from "../ports/breaker-store.js";
import { breakerEvent, decideBreaker, keptBreaker } from "./decide-breaker.js";

const MAIL = { kind: "type", namespace: "shop", name: "mail" } as const;
const HOST = { kind: "host", namespace: "shop", name: "api.example" } as const;
const OPEN: Breaker = {
  ...MAIL,
  state: "open",
  reason: "FAILURES",
  openedAt: 0,
  until: 10_000,
  openForMs: 10_000,
  trialBy: null,
  failedTrials: 0,
};
const HALF: Breaker = { ...OPEN, state: "half", until: 15_000, trialBy: "1" };

const after = (
  change: BreakerChange,
  breaker: Breaker | null,
  more: { now?: number; isAlive?: boolean; hosts?: number } = {},
) =>
  decideBreaker(change, {
    breaker,
    now: more.now ?? 10_000,
    isTrialNodeAlive: more.isAlive ?? true,
    restingHosts: more.hosts ?? 0,
  });

const open = (forMs = 10_000): BreakerChange => ({ kind: "open", subject: MAIL, reason: "FAILURES", forMs });
const tries = (bootId = "2"): BreakerChange => ({ kind: "try", subject: MAIL, bootId, forMs: 5_000 });
const ends = (kind: "failed" | "succeeded", bootId = "1"): BreakerChange => ({ kind, subject: MAIL, bootId });

test("a breaker opens; of two pauses set at once the later end counts; a trial under way decides", () => {
  expect(after(open(), null, { now: 5 })).toEqual({ ...OPEN, openedAt: 5, until: 10_005 });
  expect(after(open(20_000), OPEN, { now: 0 })).toEqual({ ...OPEN, until: 20_000, openForMs: 20_000 });
  expect(after(open(5_000), OPEN, { now: 0 })).toBe(OPEN);
  expect(after(open(), HALF)).toBe(HALF);
});

test("a breaker's trial begins when its pause is over, or when the node that tried is dead", () => {
  const tried = { ...OPEN, state: "half", trialBy: "2", until: 15_000 };
  expect(after(tries(), OPEN, { now: 9_999 })).toBe(OPEN);
  expect(after(tries(), OPEN, { now: 9_999, isAlive: false })).toBe(OPEN);
  expect(after(tries(), OPEN)).toEqual(tried);
  expect(after(tries(), HALF)).toBe(HALF);
  expect(after(tries(), HALF, { isAlive: false })).toEqual(tried);
  expect(after(tries(), HALF, { now: 15_000 })).toEqual({ ...tried, until: 20_000 });
  expect(after(tries(), null)).toBeNull();
});

test("only the node that tries ends a trial: the breaker is closed, or open for twice as long, up to ten minutes", () => {
  expect(after(ends("succeeded"), HALF)).toBeNull();
  expect(after(ends("succeeded", "2"), HALF)).toBe(HALF);
  expect(after(ends("succeeded"), OPEN)).toBe(OPEN);
  const failed = { ...OPEN, openForMs: 20_000, until: 30_000, failedTrials: 1 };
  expect(after(ends("failed"), HALF)).toEqual(failed);
  const long = { ...HALF, openForMs: MAX_OPEN_MS };
  expect(after(ends("failed"), long)).toMatchObject({ openForMs: MAX_OPEN_MS });
});

test("a breaker's trial takes as long as its task may", () => {
  const keep = (forMs: number): BreakerChange => ({ kind: "keep", subject: MAIL, bootId: "1", forMs });
  expect(after(keep(60_000), HALF)).toEqual({ ...HALF, until: 70_000 });
  expect(after(keep(1), HALF)).toMatchObject({ until: 15_000 });
});

test("a caller closes a breaker in whatever state it is", () => {
  const close: BreakerChange = { kind: "close", subject: MAIL, actor: "key:1" };
  expect([OPEN, HALF, null].map((breaker) => after(close, breaker))).toEqual([null, null, null]);
});

test("a host's breaker is over at its end; a type's breaker that nobody tries, an hour later", () => {
  const host: Breaker = { ...OPEN, ...HOST, reason: "RETRY_AFTER" };
  const isKept = (breaker: Breaker, now: number): boolean => keptBreaker({ breaker, now }) !== null;
  expect([isKept(host, 9_999), isKept(host, 10_000)]).toEqual([true, false]);
  expect([isKept(OPEN, 3_609_999), isKept(OPEN, 3_610_000)]).toEqual([true, false]);
  const again = { kind: "open", subject: HOST, reason: "RETRY_AFTER", forMs: 1_000 } as const;
  expect(after(again, host)).toEqual({ ...host, openedAt: 10_000, until: 11_000, openForMs: 1_000 });
});

test("a namespace has a bounded number of resting hosts", () => {
  const rest = { kind: "open", subject: HOST, reason: "RETRY_AFTER", forMs: 1_000 } as const;
  expect(after(rest, null, { hosts: MAX_RESTING_HOSTS })).toBeNull();
  expect(after(rest, null, { hosts: MAX_RESTING_HOSTS - 1 })).toMatchObject({ until: 11_000 });
  expect(after(open(), null, { hosts: MAX_RESTING_HOSTS })).toMatchObject({ state: "open" });
});

test("the cluster is told when a type's breaker opens and closes, and by whom", () => {
  const closed = { kind: "BREAKER_CLOSED", facts: { namespace: "shop", type: "mail", openedAt: 0, actor: null } };
  expect(breakerEvent(open(), { before: null, after: OPEN })).toMatchObject({ kind: "BREAKER_OPENED", bootId: null });
  expect(breakerEvent(ends("succeeded"), { before: HALF, after: null })).toEqual({ ...closed, bootId: "1" });
  const close: BreakerChange = { kind: "close", subject: MAIL, actor: "key:1" };
  expect(breakerEvent(close, { before: OPEN, after: null })?.facts).toMatchObject({ actor: "key:1" });
  expect(breakerEvent(ends("failed"), { before: HALF, after: OPEN })).toBeNull();
  const rest = { kind: "open", subject: HOST, reason: "RETRY_AFTER", forMs: 1 } as const;
  expect(breakerEvent(rest, { before: null, after: OPEN })).toBeNull();
});

test("one node at a time tries a breaker, and no node before the end of its pause, whatever nodes do", () => {
  const change = fc.record({
    node: fc.constantFrom("1", "2", "3"),
    kind: fc.constantFrom("open", "try", "keep", "failed", "succeeded"),
    laterMs: fc.nat(8_000),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
      let [breaker, now]: [Breaker | null, number] = [null, 0];
      for (const { node, kind, laterMs } of changes) {
        now += laterMs;
        const before: Breaker | null = breaker;
        const wanted = { subject: MAIL, reason: "FAILURES", bootId: node, forMs: 5_000, kind } as BreakerChange;
        breaker = decideBreaker(wanted, { breaker: before, now, isTrialNodeAlive: true, restingHosts: 0 });
        const isGranted = kind === "try" && breaker !== before;
        if (isGranted) expect(before!.until).toBeLessThanOrEqual(now);
        if (before?.state === "half" && before.trialBy !== node && !isGranted) expect(breaker).toBe(before);
      }
    }),
  );
});
