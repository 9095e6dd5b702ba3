import { describe, expect, test } from "@jest/globals";
import { MAX_TIMER_MS, wait } from "@tickwheel/core";
import { SeededRandom } from "@tickwheel/testing";
import { VirtualTime } from "./virtual-time.js";

/** A node, and a list of what it did with the virtual time of it. */
function stage(options: { seed?: number; rate?: number; startMs?: number } = {}) {
  const time = new VirtualTime({ random: new SeededRandom(options.seed ?? 1) });
  const clock = time.node(options);
  const did: string[] = [];
  const note = (name: string) => (): void => void did.push(`${name}@${Math.round(time.monotonicMs() * 1e6) / 1e6}`);
  return { time, clock, did, note };
}

describe("a node's clock", () => {
  test("a node's clock counts from its own origin and at its own rate, and never fires before its own time", async () => {
    const { time, clock, did, note } = stage({ rate: 0.999, startMs: 40 });
    let early = 0;
    const tick = (): void => {
      const startMonoMs = clock.monotonicMs();
      clock.setTimer(7.3, () => {
        if (clock.monotonicMs() - startMonoMs < 7.3 - 1e-9) early++;
        if (clock.monotonicMs() < 900) tick();
      });
    };
    tick();
    clock.setTimer(999, note("late"));
    await time.advance(1_000);
    expect(early).toBe(0);
    expect(did).toEqual(["late@1000"]);
    expect(clock.monotonicMs()).toBeCloseTo(1_039, 6);
  });

  test("a caller that waits until a node's clock has reached a reading always gets there, whatever the clock's rate", async () => {
    for (const rate of [0.999, 0.999_97, 1.000_03, 1.001]) {
      const { time, clock } = stage({ rate });
      let looks = 0;
      const until = async (monoMs: number): Promise<void> => {
        while (clock.monotonicMs() < monoMs) {
          looks++;
          await wait(clock, monoMs - clock.monotonicMs());
        }
      };
      for (let target = 1; target <= 200; target++) void until(target * 3.7);
      await time.advance(1_000);
      expect([looks <= 400, clock.pendingTimers]).toEqual([true, 0]);
    }
  });

  test("a new rate of a node's clock moves what is armed, and a jump ahead makes it due", async () => {
    const { time, clock, did, note } = stage();
    clock.setTimer(100, note("a"));
    clock.worker.setTimer(300, note("b"));
    await time.advance(50);
    clock.setRate(2);
    await time.advance(50);
    expect(did).toEqual(["a@75"]);
    clock.stepAhead(200);
    await time.advance(0);
    expect(did).toEqual(["a@75", "b@100"]);
    expect(() => clock.stepAhead(-1)).toThrow(RangeError);
  });

  test("a raw timer of a node's clock is never longer than a real one can be", async () => {
    const { time, clock, did, note } = stage();
    clock.setTimer(Infinity, note("cut"));
    await time.advance(MAX_TIMER_MS);
    expect(did).toEqual([`cut@${MAX_TIMER_MS}`]);
  });

  test("a timer that was cleared never fires, and the next one takes its turn", async () => {
    const { time, clock, did, note } = stage();
    const first = clock.setTimer(5, note("first"));
    clock.setTimer(9, note("second"));
    first.clear();
    first.clear();
    await time.advance(20);
    expect([did, clock.pendingTimers]).toEqual([["second@9"], 0]);
  });
});

describe("a paused node", () => {
  test("a paused node fires nothing while its time goes on, then all that is overdue in the order it was due", async () => {
    const { time, clock, did, note } = stage();
    for (const delayMs of [30, 10, 20, 70]) clock.setTimer(delayMs, note(`t${delayMs}`));
    clock.pause();
    await time.advance(50);
    expect([did, clock.monotonicMs(), clock.state, clock.pendingTimers]).toEqual([[], 50, "paused", 4]);
    clock.resume();
    await time.advance(50);
    expect(did).toEqual(["t10@50", "t20@50", "t30@50", "t70@70"]);
  });

  test("a paused node is told on resume what arrived meanwhile, in its order", async () => {
    const { time, clock, did, note } = stage();
    clock.deliver(note("before"));
    expect(did).toEqual(["before@0"]);
    clock.pause();
    clock.deliver(note("x"));
    void clock.turn().then(note("turn"));
    clock.deliver(note("y"));
    await time.advance(40);
    expect([did.length, clock.pendingArrivals]).toEqual([1, 3]);
    clock.resume();
    clock.deliver(note("z"));
    await time.advance(1);
    expect(did.slice(1)).toEqual(["x@40", "turn@40", "y@40", "z@40"]);
  });

  test("a paused node may on resume first see either a reply or that the reply is overdue", async () => {
    const first = new Set<string>();
    for (let seed = 0; seed < 20; seed++) {
      const { time, clock, did } = stage({ seed });
      clock.setTimer(10, () => did.push("timer"));
      clock.pause();
      await time.advance(5);
      clock.deliver(() => did.push("reply"));
      await time.advance(15);
      clock.resume();
      await time.advance(0);
      expect(did).toHaveLength(2);
      first.add(did[0]!);
    }
    expect(first.size).toBe(2);
  });

  test("a paused node that is paused again in the middle of its backlog keeps the rest", async () => {
    const { time, clock, did, note } = stage();
    clock.setTimer(1, () => clock.pause());
    clock.setTimer(2, note("timer"));
    clock.pause();
    await time.advance(10);
    clock.resume();
    await time.advance(10);
    clock.deliver(note("reply"));
    await time.advance(10);
    expect(did).toEqual([]);
    clock.resume();
    await time.advance(0);
    expect(did.toSorted()).toEqual(["reply@30", "timer@30"]);
  });
});

describe("a node with a blocked loop", () => {
  test("a node with a blocked loop holds what is for the main loop, while its worker goes on", async () => {
    const { time, clock, did, note } = stage();
    clock.setTimer(10, note("main"));
    clock.worker.setTimer(10, note("worker"));
    clock.blockLoop();
    clock.deliver(note("to main"));
    clock.worker.deliver(note("to worker"));
    await time.advance(30);
    expect([did, clock.state, clock.pendingTimers]).toEqual([["to worker@0", "worker@10"], "blocked", 1]);
    clock.unblockLoop();
    await time.advance(0);
    expect(did.slice(2).toSorted()).toEqual(["main@30", "to main@30"]);
  });

  test("a node with a blocked loop that is paused meanwhile needs both to end", async () => {
    const { time, clock, did, note } = stage();
    clock.setTimer(1, note("main"));
    clock.worker.setTimer(1, note("worker"));
    clock.blockLoop();
    clock.pause();
    await time.advance(5);
    clock.resume();
    await time.advance(5);
    expect([did, clock.state]).toEqual([["worker@5"], "blocked"]);
    clock.unblockLoop();
    await time.advance(5);
    expect([did, clock.state]).toEqual([["worker@5", "main@10"], "running"]);
  });
});

describe("a node with a slow loop", () => {
  test("a node with a slow loop does everything late, within the limit and in order", async () => {
    const { time, clock, did } = stage();
    const lateMs: number[] = [];
    clock.slow(8);
    for (let count = 1; count <= 50; count++) {
      clock.setTimer(count * 10, () => lateMs.push(time.monotonicMs() - count * 10));
    }
    for (const name of ["a", "b", "c"]) clock.deliver(() => did.push(name));
    expect(did).toEqual([]);
    await time.advance(600);
    expect(did).toEqual(["a", "b", "c"]);
    expect(lateMs).toHaveLength(50);
    expect(Math.min(...lateMs)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...lateMs)).toBeLessThanOrEqual(8);
    expect(Math.max(...lateMs)).toBeGreaterThan(4);
    clock.slow(0);
    clock.deliver(() => did.push("d"));
    expect(did).toHaveLength(4);
  });
});

describe("many arrivals on a slow loop", () => {
  test("many arrivals on a slow loop are each late by no more than the limit", async () => {
    const { time, clock } = stage();
    const atMs: number[] = [];
    clock.slow(10);
    for (let count = 0; count < 100; count++) clock.deliver(() => atMs.push(time.monotonicMs()));
    await time.advance(10);
    expect(atMs).toHaveLength(100);
  });
});

describe("a halted node", () => {
  test("a halted node fires nothing, takes nothing, and has nothing left", async () => {
    const { time, clock, did, note } = stage();
    clock.setTimer(1, note("main"));
    clock.worker.setTimer(1, note("worker"));
    clock.pause();
    clock.deliver(note("held"));
    void clock.turn().then(note("turn"));
    clock.halt();
    clock.resume();
    clock.deliver(note("late"));
    clock.worker.deliver(note("late"));
    clock.setTimer(1, note("new")).clear();
    await time.advance(10);
    expect([did, clock.isHalted, clock.state]).toEqual([[], true, "halted"]);
    expect([clock.pendingTimers, clock.pendingArrivals, time.pendingTimers]).toEqual([0, 0, 0]);
  });
});
