import { describe, expect, test } from "@jest/globals";
import { drain, drainByStopwatch } from "./drain.js";
import { BrokenQueueError, FiringLog } from "./firing-log.js";
import { Life } from "./life.js";
import { createWorkload } from "./loads.js";
import { NaiveQueue } from "./queues/naive-queue.js";
import { NEVER, nextTime, type Workload } from "./workload.js";

const workload = createWorkload("same-instant", 1_000, 1);

function lifeOf(queue: NaiveQueue, lived: Workload = workload): Life {
  const implementation = { describes: "", create: () => queue, hasNumericHandles: false, obeysClock: true };
  return new Life(queue, implementation, lived);
}

/** A queue that loses what it should hand out. */
class LossyQueue extends NaiveQueue {
  override poll(nowTick: number, out: Float64Array): number {
    return Math.min(super.poll(nowTick, out), nowTick < workload.lastTick ? Infinity : 0);
  }
}

/** A queue whose time is one tick ahead. */
class HastyQueue extends NaiveQueue {
  override poll(nowTick: number, out: Float64Array): number {
    return super.poll(nowTick + 1, out);
  }
}

/** A queue that ignores cancels. */
class StubbornQueue extends NaiveQueue {
  override cancel(): void {}
}

describe("a life", () => {
  test("a life of a good queue ends with everything fired, timed or by the stopwatch", () => {
    const life = lifeOf(new NaiveQueue());
    const other = lifeOf(new NaiveQueue());
    const times = life.live({ drain });
    other.live({ drain: (queue, log, span) => expect(drainByStopwatch(queue, log, span)).toBeGreaterThan(0) });
    expect([life.log.size, other.log.size]).toEqual([750, 750]);
    for (const ms of Object.values(times)) expect(ms).toBeGreaterThan(0);
  });

  test("a life of a queue may follow another one, at a later time", () => {
    const queue = new NaiveQueue();
    lifeOf(queue).live({ drain });
    const second = lifeOf(queue, nextTime(workload));
    second.live({ drain });
    expect(second.log.size).toBe(750);
  });

  test.each([
    ["loses timers", () => new LossyQueue(), /never fired/],
    ["is early", () => new HastyQueue(), /fired at tick \d+, due at \d+/],
    ["does not cancel", () => new StubbornQueue(), /though it was cancelled/],
  ])("a life of a queue that %s fails", (_, create, message) => {
    const live = (): unknown => lifeOf(create()).live({ drain });
    expect(live).toThrow(BrokenQueueError);
    expect(live).toThrow(message);
  });
});

describe("a firing log", () => {
  const expected = Float64Array.of(3, NEVER, 5);

  function logOf(...firings: [value: number, tick: number][]): FiringLog {
    const log = new FiringLog(4);
    for (const [value, tick] of firings) log.append(Float64Array.of(value), 1, tick);
    return log;
  }

  test("a firing log accepts a run in which everything fires once and in time", () => {
    expect(() => logOf([0, 3], [2, 5]).check(expected)).not.toThrow();
  });

  test.each([
    ["one that is missing", logOf([0, 3]), "timer 2 never fired"],
    ["one fired twice", logOf([0, 3], [0, 3], [2, 5]), "timer 0 fired twice"],
    ["a late one", logOf([0, 4], [2, 5]), "timer 0 fired at tick 4, due at 3"],
    ["an early one", logOf([0, 3], [2, 4]), "timer 2 fired at tick 4, due at 5"],
    ["a cancelled one", logOf([0, 3], [1, 3], [2, 5]), "timer 1 fired twice, or though it was cancelled"],
    ["a stranger", logOf([9, 3]), "value 9 was never inserted"],
  ])("a firing log complains of %s", (_, log, message) => {
    expect(() => log.check(expected)).toThrow(message);
  });
});
