import { describe, expect, test } from "@jest/globals";
import { doneWithin, giveTurn, Rest, wait } from "./clock.js";
import { SystemClock } from "./system-clock.js";

describe("wait", () => {
  test("an abort ends a wait at once", async () => {
    const controller = new AbortController();
    const waiting = wait(new SystemClock(), 3_600_000, controller.signal);
    controller.abort();
    await expect(waiting).resolves.toBeUndefined();
  });

  test("a wait on an aborted signal does not begin", async () => {
    await expect(wait(new SystemClock(), 3_600_000, AbortSignal.abort())).resolves.toBeUndefined();
  });

  test("a wait ends no earlier than asked", async () => {
    const clock = new SystemClock();
    const keepAlive = setInterval(() => undefined, 1_000);
    const before = clock.monotonicMs();
    await wait(clock, 20);
    clearInterval(keepAlive);
    expect(clock.monotonicMs() - before).toBeGreaterThanOrEqual(19);
  });
});

test("a caller that gives up its turn goes on after everything else that waited for a turn", async () => {
  const order: string[] = [];
  const other = new Promise<void>((done) => setImmediate(() => (order.push("other"), done())));
  await giveTurn(new SystemClock());
  order.push("giver");
  await other;
  expect(order).toEqual(["other", "giver"]);
});

describe("doneWithin", () => {
  const clock = new SystemClock();

  test("doneWithin tells whether the work was done in time", async () => {
    await expect(doneWithin(clock, 3_600_000, Promise.resolve("done"))).resolves.toBe(true);
    await expect(doneWithin(clock, 1, new Promise(() => undefined))).resolves.toBe(false);
  });

  test("doneWithin leaves no timer, also where the work fails", async () => {
    const left = new Set<object>();
    const counting: Pick<SystemClock, "setTimer"> = {
      setTimer: (delayMs, callback) => {
        const timer = clock.setTimer(delayMs, callback);
        left.add(timer);
        return { clear: () => (timer.clear(), void left.delete(timer)) };
      },
    };
    await expect(doneWithin(counting, 3_600_000, Promise.reject(new Error("no")))).rejects.toThrow("no");
    await doneWithin(counting, 3_600_000, Promise.resolve());
    expect(left.size).toBe(0);
  });
});

describe("a rest", () => {
  test("a rest ends early when its owner says so, and can be taken again", async () => {
    const rest = new Rest(new SystemClock());
    const first = rest.take(3_600_000);
    rest.end();
    await first;
    rest.end();
    const second = rest.take(3_600_000);
    rest.end();
    await second;
  });

  test("a rest ends by itself", async () => {
    await new Rest(new SystemClock()).take(1);
  });
});
