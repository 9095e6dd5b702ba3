import { describe, expect, test } from "@jest/globals";
import type { OrderHistory, StartRow } from "../histories/histories.js";
import type { MachineSample } from "../machine/slowness.js";
import { type FaultKind, judge } from "./judge.js";

const DUE = 100_000;
const KILLED = "10.0.0.1:1";
const OTHER = "10.0.0.2:2";
const killAt = (at: number) => ({ node: KILLED, at });

/** A process that waited for so much of each second around the due time. */
function machineWaiting(shareOfTime: number, [fromS, toS] = [-60, 60] as [number, number]): MachineSample[] {
  return Array.from({ length: toS - fromS }, (_, second) => {
    const fromAt = DUE + (fromS + second) * 1_000;
    return { fromAt, toAt: fromAt + 1_000, ranMs: 20, waitedMs: shareOfTime * 1_000, load: 9.4, cores: 2 };
  });
}

const QUIET = machineWaiting(0.02);
const BUSY = machineWaiting(0.3);

function start(at: number, changes: Partial<StartRow> = {}): StartRow {
  return { node: OTHER, fence: 1, attempt: 1, dueAt: DUE, at, ...changes };
}

/** An order that fired as it should, 2 ms late. */
function fired(changes: Partial<OrderHistory> = {}): OrderHistory {
  return {
    orderId: "fired",
    isPaidInTime: false,
    cancelAt: DUE,
    payment: null,
    starts: [start(DUE + 2)],
    effects: [{ node: OTHER, fence: 1, at: DUE + 30 }],
    paidWhileRunningOn: null,
    ...changes,
  };
}

/** An order that was paid 5 s before its time-out. */
function paid(changes: Partial<OrderHistory> = {}): OrderHistory {
  return {
    orderId: "paid",
    isPaidInTime: true,
    cancelAt: DUE,
    payment: paymentAt(DUE - 5_000),
    starts: [],
    effects: [],
    paidWhileRunningOn: null,
    ...changes,
  };
}

function paymentAt(sentAt: number): { sentAt: number; answeredAt: number; answer: "paid" } {
  return { sentAt, answeredAt: sentAt + 5, answer: "paid" };
}

function faultsOf(order: OrderHistory, kill = null as { node: string; at: number } | null): FaultKind[] {
  const verdict = judge({ orders: [order], kill }, QUIET);
  const kinds = Object.entries(verdict.faults).filter(([, orders]) => orders.length > 0);
  expect(verdict.ok).toBe(kinds.length === 0);
  return kinds.map(([kind]) => kind as FaultKind);
}

describe("the judge", () => {
  test("the judge finds nothing in a run where all went well, and counts it", () => {
    const verdict = judge({ orders: [fired(), paid(), fired({ orderId: "fired too" })], kill: null }, QUIET);
    expect(verdict).toMatchObject({ orders: 3, cancelledAcked: 1, fired: 2, differsFromData: 0, ok: true });
    expect(verdict.latenessMs).toEqual({ p50: 2, p99: 2, max: 2 });
  });

  test("the judge accepts a payment that was refused because the order is cancelled", () => {
    const tooLate = { sentAt: DUE + 3_000, answeredAt: DUE + 3_005, answer: "too_late" } as const;
    expect(faultsOf(fired({ payment: tooLate }))).toEqual([]);
  });

  test("the judge sees an order that was neither paid nor cancelled", () => {
    expect(faultsOf(fired({ effects: [] }))).toContain("lost");
    expect(faultsOf(fired({ effects: [], starts: [] }))).toContain("lost");
  });

  test("the judge sees an effect that happened twice", () => {
    const effect = { node: OTHER, fence: 1, at: DUE + 30 };
    expect(faultsOf(fired({ effects: [effect, { ...effect, fence: 2 }] }))).toEqual(["firedTwice"]);
  });

  test("the judge does not take a second execution without a second effect for a double", () => {
    expect(faultsOf(fired({ starts: [start(DUE + 2), start(DUE + 500, { fence: 2, attempt: 2 })] }))).toEqual([]);
  });

  test("the judge sees a start before its due time, though only by a fraction of a millisecond", () => {
    expect(faultsOf(fired({ starts: [start(DUE - 0.2)] }))).toEqual(["firedEarly"]);
  });

  test("the judge sees a start that is early by what was acknowledged, whatever the task itself says", () => {
    expect(faultsOf(fired({ starts: [start(DUE - 50, { dueAt: DUE - 60 })] }))).toEqual(["firedEarly"]);
  });

  test("the judge sees an early start although a later one had the effect", () => {
    expect(faultsOf(fired({ starts: [start(DUE + 5, { fence: 2 }), start(DUE - 5)] }))).toEqual(["firedEarly"]);
  });

  test("the judge sees an early effect", () => {
    expect(faultsOf(fired({ effects: [{ node: OTHER, fence: 1, at: DUE - 1 }] }))).toEqual(["firedEarly"]);
  });

  test("the judge sees an effect after an acknowledged payment, and one before it", () => {
    for (const at of [DUE + 60_000, DUE + 1]) {
      const effects = [{ node: OTHER, fence: 1, at }];
      expect(faultsOf(paid({ effects, payment: paymentAt(DUE - 10), starts: [start(DUE + 1)] }))).toEqual([
        "firedAfterCancelAck",
      ]);
    }
  });

  test("the judge sees an outcome that is not the data's", () => {
    expect(faultsOf(fired({ isPaidInTime: true }))).toEqual(["differsUnexplained"]);
    expect(faultsOf(paid({ isPaidInTime: false }))).toEqual(["differsUnexplained"]);
  });

  test("the judge explains a differing outcome by a payment sent within 2 s of the time-out, on both sides", () => {
    for (const sentAt of [DUE - 2_000, DUE + 2_000]) {
      const order = paid({ isPaidInTime: false, payment: paymentAt(sentAt) });
      expect(faultsOf(order)).toEqual([]);
      expect(judge({ orders: [order], kill: null }, QUIET).differsFromData).toBe(1);
    }
    for (const sentAt of [DUE - 2_001, DUE + 2_001])
      expect(faultsOf(paid({ isPaidInTime: false, payment: paymentAt(sentAt) }))).toEqual(["differsUnexplained"]);
  });

  describe("after a kill", () => {
    const kill = killAt(DUE - 100);
    const late = paymentAt(DUE + 4_000);

    test("the judge explains a late payment that came before the re-run of an order that the killed node had claimed", () => {
      const started = [start(DUE + 1, { node: KILLED })];
      expect(faultsOf(paid({ isPaidInTime: false, payment: late, starts: started }), kill)).toEqual([]);
      expect(faultsOf(paid({ isPaidInTime: false, payment: late, paidWhileRunningOn: KILLED }), kill)).toEqual([]);
    });

    test("the judge does not explain a late payment that came after the re-run had begun", () => {
      const starts = [start(DUE + 1, { node: KILLED }), start(DUE + 3_000, { fence: 2 })];
      expect(faultsOf(paid({ isPaidInTime: false, payment: late, starts }), kill)).toEqual(["differsUnexplained"]);
    });

    test("the judge does not explain a late payment of an order that another node had claimed, or nobody", () => {
      const others = { starts: [start(DUE + 1)], paidWhileRunningOn: OTHER };
      expect(faultsOf(paid({ isPaidInTime: false, payment: late, ...others }), kill)).toEqual(["differsUnexplained"]);
      expect(faultsOf(paid({ isPaidInTime: false, payment: late }), kill)).toEqual(["differsUnexplained"]);
    });

    test("the judge is not content with tasks pending at a kill that are later than 3 s", () => {
      const verdictOf = (at: number) => judge({ orders: [fired({ starts: [start(at)] })], kill }, QUIET);
      expect(verdictOf(DUE + 3_000)).toMatchObject({ ok: true, takeover: { pendingWorstLatenessMs: 3_000 } });
      expect(verdictOf(DUE + 3_001)).toMatchObject({ ok: false, takeover: { pendingWorstLatenessMs: 3_001 } });
    });

    test("the judge is not content with a re-run that is later than 10 s after the kill", () => {
      const running = (at: number) => fired({ starts: [start(DUE + 1, { node: KILLED }), start(at, { fence: 2 })] });
      const verdictOf = (at: number) => judge({ orders: [running(at)], kill }, QUIET);
      expect(verdictOf(kill.at + 10_000)).toMatchObject({ ok: true, takeover: { rerun: 1 } });
      expect(verdictOf(kill.at + 10_001)).toMatchObject({ ok: false, takeover: { runningWorstLatenessMs: 10_001 } });
    });
  });

  describe("on a machine that was too slow", () => {
    const kill = killAt(DUE - 100);
    const lateStart = fired({ starts: [start(DUE + 3_001)], effects: [{ node: OTHER, fence: 1, at: DUE + 3_030 }] });
    const lateRerun = fired({ starts: [start(DUE + 1, { node: KILLED }), start(DUE + 11_000, { fence: 2 })] });
    const paymentSentLate = { sentAt: DUE + 4_000, answeredAt: DUE + 4_005, answer: "too_late" } as const;

    test("the judge excuses what was late on a machine that was too slow, and says why", () => {
      for (const order of [lateStart, lateRerun]) {
        expect(judge({ orders: [order], kill }, QUIET)).toMatchObject({ tooSlowToJudge: null, ok: false });
        const verdict = judge({ orders: [order], kill }, BUSY);
        expect(verdict).toMatchObject({ tooSlowToJudge: expect.stringContaining("busy"), ok: true });
      }
    });

    test("the judge has nothing to excuse on a machine that was too slow when all was in time", () => {
      expect(judge({ orders: [fired(), paid()], kill }, BUSY)).toMatchObject({ tooSlowToJudge: null, ok: true });
    });

    test("the judge excuses nothing when the machine was slow at other times, or was not measured", () => {
      for (const machine of [machineWaiting(0.5, [-60, -5]), machineWaiting(0.5, [25, 60]), []])
        expect(judge({ orders: [lateStart], kill }, machine)).toMatchObject({ tooSlowToJudge: null, ok: false });
    });

    test("the judge excuses outcomes on a slow machine that are right by when payments truly came and tasks truly ran", () => {
      const overtaken = paid({ isPaidInTime: false, payment: paymentAt(DUE + 4_000) });
      const sentTooLate = fired({ isPaidInTime: true, payment: paymentSentLate });
      const onTheWay = fired({ isPaidInTime: true, payment: { ...paymentSentLate, sentAt: DUE - 3_000 } });
      for (const order of [overtaken, sentTooLate, onTheWay]) {
        expect(judge({ orders: [order], kill: null }, QUIET)).toMatchObject({ tooSlowToJudge: null, ok: false });
        const verdict = judge({ orders: [order], kill: null }, BUSY);
        expect(verdict).toMatchObject({ faults: { differsUnexplained: [] }, differsFromData: 1, ok: true });
        expect(verdict.tooSlowToJudge).toContain("busy");
      }
    });

    test("the judge excuses no outcome on a slow machine that is wrong by what truly happened", () => {
      const refusedInTime = fired({
        isPaidInTime: true,
        payment: { sentAt: DUE - 5_000, answeredAt: DUE - 4_000, answer: "too_late" },
      });
      for (const order of [refusedInTime, fired({ isPaidInTime: true })])
        expect(judge({ orders: [order], kill: null }, BUSY)).toMatchObject({
          faults: { differsUnexplained: [order.orderId] },
          tooSlowToJudge: null,
          ok: false,
        });
    });

    test("the judge judges lost, doubled and early effects on a slow machine all the same, and those after an acknowledged payment", () => {
      const effect = { node: OTHER, fence: 1, at: DUE + 30 };
      const faulty: [FaultKind, OrderHistory][] = [
        ["lost", fired({ effects: [] })],
        ["firedTwice", fired({ effects: [effect, effect] })],
        ["firedEarly", fired({ starts: [start(DUE - 1)] })],
        ["firedAfterCancelAck", paid({ effects: [effect] })],
      ];
      for (const [kind, order] of faulty) {
        const verdict = judge({ orders: [order, lateStart], kill }, BUSY);
        expect(verdict).toMatchObject({ faults: { [kind]: [order.orderId] }, ok: false });
      }
    });
  });
});
