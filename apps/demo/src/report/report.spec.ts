import { describe, expect, test } from "@jest/globals";
import type { Verdict } from "../verdict/judge.js";
import { jsonReport, type RunFacts, textReport } from "./report.js";

const verdict: Verdict = {
  orders: 10,
  cancelledAcked: 4,
  fired: 6,
  faults: { lost: [], firedTwice: [], firedEarly: [], firedAfterCancelAck: [], differsUnexplained: [] },
  differsFromData: 1,
  latenessMs: { p50: 1.2345, p99: 20, max: 30 },
  takeover: { pendingWorstLatenessMs: 2_000.06, runningWorstLatenessMs: null, rerun: 0 },
  tooSlowToJudge: null,
  ok: true,
};
const facts: RunFacts = {
  killedNode: "10.0.0.1:7",
  coordination: "redis",
  nodes: 3,
  durationMs: 60_000.4,
  schedule: { name: "orders.count", runs: 12, skipped: 1 },
  troubles: [],
};

describe("the report", () => {
  test("the demo's report has exactly the fields that were agreed on", () => {
    expect(jsonReport(verdict, facts)).toEqual({
      orders: 10,
      cancelledAcked: 4,
      fired: 6,
      firedTwice: 0,
      firedEarly: 0,
      firedAfterCancelAck: 0,
      lost: 0,
      differsFromData: 1,
      latenessMs: { p50: 1.2, p99: 20, max: 30 },
      takeover: { killedNode: "10.0.0.1:7", pendingWorstLatenessMs: 2_000.1, runningWorstLatenessMs: null, rerun: 0 },
      coordination: "redis",
      nodes: 3,
      durationMs: 60_000,
      tooSlowToJudge: null,
      ok: true,
    });
  });

  test("the demo's report is not ok when a node crashed although every order is right", () => {
    const crashed = { ...facts, troubles: ["node 2 ended by itself"] };
    expect(jsonReport(verdict, crashed).ok).toBe(false);
    expect(textReport(verdict, crashed)).toContain("✗ node 2 ended by itself");
    expect(textReport(verdict, crashed)).toContain("NOT ok");
  });

  test("the demo's report names the first orders with a fault", () => {
    const lost = ["a", "b", "c", "d", "e", "f", "g"];
    const text = textReport({ ...verdict, faults: { ...verdict.faults, lost }, ok: false }, facts);
    expect(text).toContain("✗ 7 orders neither paid nor cancelled: a, b, c, d, e and 2 more");
  });

  test("the demo's report says that the machine was too slow to judge times, and is ok all the same", () => {
    const slow = { ...verdict, tooSlowToJudge: "the machine was busy" };
    expect(jsonReport(slow, facts)).toMatchObject({ tooSlowToJudge: "the machine was busy", ok: true });
    expect(textReport(slow, facts)).toContain("too slow to judge: the machine was busy");
    expect(textReport(slow, facts)).toContain("ok: nothing lost");
    expect(textReport(verdict, facts)).not.toContain("too slow");
  });

  test("the demo's report tells how often the schedule ran, if a node has told it", () => {
    expect(textReport(verdict, facts)).toContain("orders.count ran 12 times, and 1 of its instants were skipped");
    expect(textReport(verdict, { ...facts, schedule: null })).toContain("no node told its runs");
  });

  test("the demo's report says that all is well", () => {
    expect(textReport(verdict, facts)).toContain("ok: nothing lost");
  });
});
