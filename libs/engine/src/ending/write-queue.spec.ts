import { describe, expect, test } from "@jest/globals";
import { RowsLockedError, type SettleReply, TickwheelError } from "@tickwheel/core";
import { ManualClock, RecordingTelemetry } from "@tickwheel/testing";
import { Health } from "@tickwheel/coordination";
import { WriteQueue } from "./write-queue.js";

const done: SettleReply = {
  state: "succeeded",
  finishedAt: 0,
  hint: { id: "", typeId: 1, version: 1, dueAt: 0, priority: 5 },
};
const away = new TickwheelError("STORE_UNAVAILABLE", "away");
const refused = new TickwheelError("INTERNAL", "refused", { details: { dataRefused: true } });

/** A queue of words; a store that takes no word with a "!" and none at all while `isAway`. */
function queueOf(batchSize = 3) {
  const clock = new ManualClock();
  const telemetry = new RecordingTelemetry();
  const store = {
    isAway: false,
    isBroken: false,
    batches: [] as string[][],
    acknowledged: [] as string[],
    gaveUp: [] as string[],
    locked: new Set<string>(),
    /** Longer batches get no answer. */
    mostBytes: Infinity,
  };
  const queue = new WriteQueue<string>({
    clock,
    batchSize,
    part: "engine.settle" as const,
    health: new Health(clock, telemetry),
    batchBytes: 100,
    bytesOf: (word: string) => word.length,
    isUrgent: (word) => word.startsWith("urgent"),
    write: async (words) => {
      if (store.isAway || words.join("").length > store.mostBytes) throw away;
      if (store.isBroken && words.includes("broken")) throw new TickwheelError("INTERNAL", "no right to do so");
      if (words.some((word) => word.includes("!"))) throw refused;
      store.batches.push([...words]);
      if (words.some((word) => store.locked.has(word)))
        throw new RowsLockedError(words.map((word) => (store.locked.has(word) ? undefined : done)));
      return words.map(() => done);
    },
    acknowledged: (word) => store.acknowledged.push(word),
    gaveUp: (word) => store.gaveUp.push(word),
    refused: (word) => (word === "give up!" ? null : word === "still bad!" ? "worse!" : word.replace("!", "?")),
  });
  return { clock, telemetry, store, queue };
}

describe("WriteQueue", () => {
  test("the write queue gathers for a few milliseconds at low rates; a full batch goes at once", async () => {
    const { clock, store, queue } = queueOf();
    queue.add("a");
    await clock.advance(9);
    queue.add("b");
    expect(store.batches).toEqual([]);
    await clock.advance(1);
    expect(store.batches).toEqual([["a", "b"]]);
    for (const word of ["c", "d", "e", "f"]) queue.add(word);
    await clock.settle();
    expect(store.batches.slice(1)).toEqual([["c", "d", "e"]]);
    await clock.advance(10);
    expect(store.batches.slice(2)).toEqual([["f"]]);
    expect(queue.size).toBe(0);
  });

  test("a write that others wait for goes soon, with what the queue gathered before it", async () => {
    const { clock, store, queue } = queueOf(5);
    queue.add("a");
    await clock.advance(2);
    queue.add("urgent");
    queue.add("urgent too");
    await clock.advance(1);
    expect(store.batches).toEqual([["a", "urgent", "urgent too"]]);
    store.isAway = true;
    queue.add("urgent again");
    await clock.advance(1);
    queue.add("urgent, while the store is away");
    store.isAway = false;
    await clock.advance(98);
    expect(store.batches).toHaveLength(1);
    await clock.advance(3);
    expect(store.batches.slice(1)).toEqual([["urgent again"], ["urgent, while the store is away"]]);
  });

  test("the write queue keeps everything while the store is away, reports it once, and sends all within a second after it", async () => {
    const { clock, telemetry, store, queue } = queueOf();
    store.isAway = true;
    for (const word of ["a", "b", "c", "d"]) queue.add(word);
    await clock.advance(10_000);
    expect(queue.size).toBe(4);
    store.isAway = false;
    await clock.advance(1_000);
    expect(store.acknowledged.toSorted()).toEqual(["a", "b", "c", "d"]);
    expect(telemetry.events.map(({ name }) => name)).toEqual(["engine.settle.degraded", "engine.settle.recovered"]);
  });

  test("a refused row of the write queue stands alone, and its replacement counts for it", async () => {
    const { clock, store, queue } = queueOf();
    for (const word of ["a", "bad!", "c"]) queue.add(word);
    await clock.advance(10);
    expect(store.acknowledged).toEqual(["a", "bad?", "c"]);
    expect(queue.size).toBe(0);
  });

  test("a row of the write queue that cannot be written in any form is given up, and the rest goes on", async () => {
    const { clock, telemetry, store, queue } = queueOf();
    for (const word of ["give up!", "still bad!", "c"]) queue.add(word);
    await clock.advance(10);
    expect([store.acknowledged, store.gaveUp]).toEqual([["c"], ["give up!", "still bad!"]]);
    expect(queue.size).toBe(0);
    expect(telemetry.events).toEqual([]);
  });

  test("a row of the write queue that fails for another reason than its data is sent again unchanged, and delays no other", async () => {
    const { clock, store, queue } = queueOf();
    store.isBroken = true;
    for (const word of ["a", "broken", "c", "d"]) queue.add(word);
    await clock.advance(10_000);
    expect([store.acknowledged.toSorted(), store.gaveUp, queue.size]).toEqual([["a", "c", "d"], [], 1]);
    store.isBroken = false;
    await clock.advance(1_000);
    expect([store.acknowledged.at(-1), queue.size]).toEqual(["broken", 0]);
  });

  test("a row of the write queue that another transaction locks waits apart, and delays no other", async () => {
    const { clock, store, queue } = queueOf();
    store.locked.add("held");
    for (const word of ["a", "held", "c"]) queue.add(word);
    await clock.advance(100);
    queue.add("d");
    await clock.advance(100);
    expect([store.acknowledged, queue.size]).toEqual([["a", "c", "d"], 1]);
    expect(store.batches).toEqual([["a", "held", "c"], ["d"]]);
    store.locked.clear();
    await clock.advance(300);
    expect([store.acknowledged.at(-1), queue.size]).toEqual(["held", 0]);
  });

  test("a batch of the write queue has a limit in bytes, and a larger item goes alone", async () => {
    const { clock, store, queue } = queueOf(10);
    for (const word of ["a".repeat(60), "b".repeat(60), "c", "d".repeat(200), "e"]) queue.add(word);
    await clock.advance(100);
    expect(store.batches.map((words) => words.map((word) => word[0]).join(""))).toEqual(["a", "bc", "d", "e"]);
  });

  test("a batch of the write queue without an answer is halved until it passes, and grows again afterwards", async () => {
    const { clock, store, queue } = queueOf(8);
    store.mostBytes = 30;
    for (const letter of "abcdefgh") queue.add(letter.repeat(10));
    await clock.advance(2_000);
    expect(store.batches.map((words) => words.length)).toEqual([2, 2, 2, 2]);
    store.mostBytes = Infinity;
    for (const letter of "ijklmnop") queue.add(letter);
    await clock.advance(2_000);
    expect([store.acknowledged.length, queue.size]).toEqual([16, 0]);
    expect(store.batches.at(-1)!.length).toBeGreaterThan(2);
  });

  test("an item of the write queue that never gets an answer delays no other", async () => {
    const { clock, store, queue } = queueOf(8);
    store.mostBytes = 30;
    queue.add("x".repeat(40));
    for (const letter of "abcdef") queue.add(letter);
    await clock.advance(10_000);
    expect([store.acknowledged.toSorted(), queue.size]).toEqual([["a", "b", "c", "d", "e", "f"], 1]);
    store.mostBytes = Infinity;
    await clock.advance(1_000);
    expect(queue.size).toBe(0);
  });

  test("the write queue is idle when all is acknowledged, not when all is sent", async () => {
    const { clock, store, queue } = queueOf();
    store.isAway = true;
    queue.add("a");
    let isIdle = false;
    const idle = queue.whenIdle().then(() => (isIdle = true));
    await clock.advance(3_000);
    expect(isIdle).toBe(false);
    store.isAway = false;
    await clock.advance(1_000);
    await idle;
    await queue.whenIdle();
    expect(store.acknowledged).toEqual(["a"]);
  });
});
