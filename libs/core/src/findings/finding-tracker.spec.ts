import { describe, expect, test } from "@jest/globals";
import type { Cause, Finding } from "../reports/finding.js";
import { CLOSE_AFTER_MS, FindingTracker, OPEN_AFTER_MS } from "./finding-tracker.js";

const cause = (code: Cause["code"], subject = ""): Cause => ({
  code,
  subject,
  namespace: null,
  severity: "warning",
  facts: {},
});
const REDIS = cause("REDIS_AWAY");

function row(of: Cause, since: number): Finding {
  return { ...of, id: `row of ${of.code}`, since, until: null };
}

describe("a cause", () => {
  test("a finding's cause is told when it has lasted, since when it was first seen", () => {
    const tracker = new FindingTracker();
    for (const now of [1_000, 2_000, 3_999]) {
      tracker.see([REDIS], now);
      expect([tracker.open(now), tracker.toWrite(now)]).toEqual([[], []]);
    }
    const now = 1_000 + OPEN_AFTER_MS;
    tracker.see([REDIS], now);
    expect(tracker.open(now)).toMatchObject([{ code: "REDIS_AWAY", since: 1_000, until: null }]);
    expect(tracker.toWrite(now)).toEqual([{ ...REDIS, since: 1_000 }]);
  });

  test("a finding's cause that somebody had to wait for already is told at once", () => {
    const tracker = new FindingTracker();
    tracker.see([cause("NODE_SUSPECT", "b"), cause("LOOP_BLOCKED", "c"), cause("NODE_DIED", "d")], 5);
    expect(tracker.open(5).map(({ code }) => code)).toEqual(["LOOP_BLOCKED", "NODE_SUSPECT", "NODE_DIED"]);
  });

  test("a cause that another node has told already is renewed at once, under its id and since it was first seen there", () => {
    const tracker = new FindingTracker();
    tracker.read([row(REDIS, 100)]);
    tracker.see([REDIS], 9_000);
    expect(tracker.toWrite(9_000)).toEqual([{ ...REDIS, since: 9_000 }]);
    expect(tracker.open(9_000)).toMatchObject([{ id: "row of REDIS_AWAY", since: 100 }]);
  });

  test("a cause that this node does not see is told as long as its finding is open", () => {
    const tracker = new FindingTracker();
    tracker.read([row(REDIS, 100)]);
    tracker.see([], 9_000);
    expect([tracker.open(9_000).length, tracker.toWrite(9_000)]).toEqual([1, []]);
    tracker.read([]);
    expect(tracker.open(9_000)).toEqual([]);
  });

  test("a finding's cause that came back within the time in which it closes goes on, and after it begins anew", () => {
    const tracker = new FindingTracker();
    for (const now of [0, OPEN_AFTER_MS]) tracker.see([REDIS], now);
    tracker.see([], 5_000);
    tracker.see([REDIS], CLOSE_AFTER_MS);
    expect(tracker.open(CLOSE_AFTER_MS)).toMatchObject([{ since: 0 }]);
    const later = 3 * CLOSE_AFTER_MS;
    tracker.see([REDIS], later);
    expect(tracker.open(later)).toEqual([]);
  });

  test("a finding's cause that is seen now and then, and never for long enough, is not told", () => {
    const tracker = new FindingTracker();
    for (let now = 0; now < 60_000; now += 1_000) {
      tracker.see(now % 3_000 === 0 ? [REDIS] : [], now);
      expect(tracker.open(now)).toEqual([]);
      expect(tracker.isUndecided).toBe(now % 3_000 === 0);
    }
    for (const now of [60_000, 61_000, 62_000, 63_000]) tracker.see([REDIS], now);
    expect(tracker.open(63_000)).toMatchObject([{ since: 60_000 }]);
    expect(tracker.isUndecided).toBe(false);
  });

  test("a finding's cause that old figures show again and again is told when newer figures show it, too", () => {
    const tracker = new FindingTracker();
    const at = (now: number, knownAt: number): string[] => {
      tracker.see([{ ...cause("OVERDUE_UNEXPLAINED"), knownAt }], now);
      return tracker.open(now).map(({ code }) => code);
    };
    for (let now = 1_000; now < 30_000; now += 1_000) expect(at(now, 1_000)).toEqual([]);
    expect(at(30_000, 30_000)).toEqual(["OVERDUE_UNEXPLAINED"]);
    expect(tracker.toWrite(30_000)).toEqual([{ ...cause("OVERDUE_UNEXPLAINED"), since: 1_000 }]);
  });

  test("a finding's cause that becomes another cause goes on as one finding, since it began", () => {
    const tracker = new FindingTracker();
    const suspect = cause("NODE_SUSPECT", "b");
    const died = cause("NODE_DIED", "b");
    tracker.see([suspect], 1_000);
    tracker.read([row(suspect, 1_000)]);
    tracker.see([died], 5_000);
    expect(tracker.open(5_000).map(({ code }) => code)).toEqual(["NODE_DIED"]);
    expect(tracker.toWrite(5_000)).toEqual([{ ...died, since: 1_000 }]);
    tracker.read([row(died, 1_000)]);
    tracker.see([died], 6_000);
    expect(tracker.toWrite(6_000)).toEqual([{ ...died, since: 1_000 }]);
    // A node that has not heard of the death yet.
    const slow = new FindingTracker();
    slow.see([suspect], 5_000);
    slow.read([row(died, 1_000)]);
    expect(slow.open(5_000).map(({ code }) => code)).toEqual(["NODE_DIED"]);
  });

  test("a schedule without a node goes on as its type's finding at once when a task is overdue", () => {
    const tracker = new FindingTracker();
    const schedule = cause("SCHEDULE_WITHOUT_NODE", "7");
    const type = cause("TYPE_WITHOUT_NODE", "7");
    for (const now of [0, 3_000]) tracker.see([schedule], now);
    tracker.read([row(schedule, 0)]);
    tracker.see([type], 4_000);
    expect(tracker.open(4_000).map(({ code, since }) => [code, since])).toEqual([["TYPE_WITHOUT_NODE", 0]]);
    expect(tracker.toWrite(4_000)).toEqual([{ ...type, since: 0 }]);
  });

  test("a finding's cause that was over before it could be written is written still, so that the last day has it", () => {
    const tracker = new FindingTracker();
    const away = cause("POSTGRES_AWAY");
    for (const now of [0, 3_000, 6_000]) tracker.see([away], now);
    tracker.see([], 7_000);
    expect(tracker.open(7_000)).toEqual([]);
    expect(tracker.toWrite(7_000)).toEqual([{ ...away, since: 0 }]);
    tracker.read([row(away, 0)]);
    tracker.see([], 8_000);
    expect(tracker.toWrite(8_000)).toEqual([]);
  });
});
