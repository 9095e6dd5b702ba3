import { describe, expect, test } from "@jest/globals";
import { ManualClock } from "@tickwheel/testing";
import { EndWaits } from "./end-waits.js";

const START_MS = Date.UTC(2026, 0, 1);
const ONE = "019ab000-0000-7000-8000-000000000001";
const OTHER = "019ab000-0000-7000-8000-000000000002";

/** Waits on a clock that the test moves, and a store of which the test says what is live. */
function world() {
  const clock = new ManualClock();
  const live = new Set([ONE, OTHER]);
  const looks: { atMs: number; ids: readonly string[] }[] = [];
  let isAway = false;
  const nowMs = (): number => START_MS + clock.monotonicMs();
  const ends = new EndWaits({
    clock,
    nowMs,
    tasks: {
      liveAmong: async (ids) => {
        looks.push({ atMs: clock.monotonicMs(), ids });
        if (isAway) throw new Error("away");
        return ids.filter((id) => live.has(id));
      },
    },
  });
  const over: string[] = [];
  const wait = (id: string, { inMs = 0, timeoutMs = 60_000, signal }: WaitOptions = {}): Promise<unknown> =>
    ends.untilEnded({ id, dueAt: nowMs() + inMs }, { timeoutMs, signal }).then(() => over.push(id));
  return { clock, live, looks, ends, over, wait, goAway: (away: boolean) => void (isAway = away) };
}

interface WaitOptions {
  inMs?: number;
  timeoutMs?: number;
  signal?: AbortSignal;
}

describe("a call that waits for the end of a task", () => {
  test("a call that waits for a task's end is over at once where the task ends on this node, and no other call is", async () => {
    const { ends, over, wait } = world();
    const waited = wait(ONE);
    void wait(OTHER);
    ends.ended(ONE);
    await waited;
    expect([over, ends.size]).toEqual([[ONE], 1]);
  });

  test("a call that waits for a task's end looks 20 ms after the task is due, then ever more seldom, at least once a second", async () => {
    const { clock, looks, wait } = world();
    void wait(ONE, { inMs: 100 });
    await clock.advance(119);
    expect(looks).toEqual([]);
    await clock.advance(3_881);
    const rests = looks.map(({ atMs }, index) => atMs - (looks[index - 1]?.atMs ?? 0));
    expect(rests.slice(0, 4)).toEqual([120, 30, 45, 67.5]);
    expect(Math.max(...rests)).toBeLessThanOrEqual(1_000);
    expect(looks.length).toBeLessThan(20);
  });

  test("a call that waits for a task's end looks each second before the task is due: the task may be cancelled", async () => {
    const { clock, live, looks, over, wait } = world();
    const waited = wait(ONE, { inMs: 50_000 });
    await clock.advance(1_000);
    live.delete(ONE);
    await clock.advance(1_000);
    await waited;
    expect([over, looks.length]).toEqual([[ONE], 1]);
  });

  test("a call that waits for a task's end shares its looks with all others, and ends once a look finds the task not live", async () => {
    const { clock, live, looks, over, wait } = world();
    const waited = wait(ONE);
    void wait(OTHER);
    void wait(OTHER);
    live.delete(ONE);
    await clock.advance(25);
    await waited;
    expect(looks.map(({ ids }) => ids)).toEqual([[ONE, OTHER]]);
    expect(over).toEqual([ONE]);
  });

  test("a call that waits for a task's end is over when its time is, when its caller goes, and when the node stops", async () => {
    const { clock, ends, over, wait } = world();
    const caller = new AbortController();
    const [byTime, byCaller, byStop] = [
      wait(ONE, { timeoutMs: 500 }),
      wait(ONE, { signal: caller.signal }),
      wait(OTHER),
    ] as const;
    await clock.advance(500);
    await byTime;
    expect(ends.size).toBe(2);
    caller.abort();
    await byCaller;
    ends.stop();
    await byStop;
    expect([over, ends.size]).toEqual([[ONE, ONE, OTHER], 0]);
    await wait(ONE);
    ends.start();
    void wait(ONE);
    expect(ends.size).toBe(1);
  });

  test("a call that waits for a task's end goes on where a look fails, and is looked at again", async () => {
    const { clock, live, looks, over, wait, goAway } = world();
    const waited = wait(ONE);
    live.delete(ONE);
    goAway(true);
    await clock.advance(100);
    expect(over).toEqual([]);
    goAway(false);
    await clock.advance(1_000);
    await waited;
    expect(looks.length).toBeGreaterThan(2);
  });

  test("a call that waits for a task's end leaves no timer behind", async () => {
    const { clock, ends, looks, wait } = world();
    const waited = wait(ONE);
    ends.ended(ONE);
    await waited;
    await clock.advance(120_000);
    expect(looks).toEqual([]);
  });

  test("a call that waits for a task's end is refused where 10,000 wait", async () => {
    const { ends, wait } = world();
    for (let count = 0; count < 10_000; count++) void wait(`${count}`);
    await expect(wait(ONE)).rejects.toMatchObject({ code: "RATE_LIMITED" });
    ends.stop();
  });
});
