import { describe, expect, test } from "@jest/globals";
import { ManualClock } from "@tickwheel/testing";
import { RedisKeyspace } from "./redis-keyspace.js";
import { SkewedTime } from "../time/skewed-time.js";

function stage() {
  const clock = new ManualClock();
  const own = new SkewedTime(clock, { startMs: 1_000_000 });
  return { clock, own, keys: new RedisKeyspace(own, () => clock.monotonicMs()) };
}

describe("RedisKeyspace", () => {
  test("a key of RedisKeyspace lives for its time by the server's own clock", async () => {
    const { clock, own, keys } = stage();
    keys.set("a", 1, 3_000);
    await clock.advance(2_999);
    expect(keys.get("a")).toBe(1);
    own.step(-1_000);
    await clock.advance(1_000);
    expect([keys.get("a"), keys.names()]).toEqual([1, ["a"]]);
    own.step(1);
    expect([keys.get("a"), keys.names()]).toEqual([undefined, []]);
  });

  test("another value keeps the time to live of a key of RedisKeyspace, and a deleted key is gone", async () => {
    const { clock, keys } = stage();
    keys.set("a", 1, 100);
    keys.set("b", 1, 100);
    await clock.advance(60);
    keys.replace("a", 2);
    keys.replace("c", 2);
    keys.delete("b");
    expect([keys.get("a"), keys.get("b"), keys.get("c")]).toEqual([2, undefined, undefined]);
    await clock.advance(40);
    expect(keys.get("a")).toBeUndefined();
  });

  test("the last writes of RedisKeyspace can be forgotten, deletions too", async () => {
    const { clock, keys } = stage();
    keys.set("a", "old", 10_000);
    keys.set("b", "old", 10_000);
    await clock.advance(1_000);
    keys.set("a", "new", 10_000);
    keys.delete("b");
    keys.set("c", "new", 10_000);
    await clock.advance(500);
    keys.clear();
    expect(keys.names()).toEqual([]);
    keys.forget(400);
    expect([keys.get("a"), keys.get("b"), keys.get("c")]).toEqual(["new", undefined, "new"]);
    keys.forget(600);
    expect([keys.get("a"), keys.get("b"), keys.get("c")]).toEqual(["old", "old", undefined]);
    keys.forget(Infinity);
    expect(keys.names()).toEqual([]);
  });

  test("RedisKeyspace remembers the writes of a minute, however many there are", async () => {
    const { clock, keys } = stage();
    for (let count = 0; count < 1_000; count++) {
      keys.set("a", count, 100_000);
      await clock.advance(200);
    }
    expect(keys.get("a")).toBe(999);
    keys.forget(59_900);
    expect(keys.get("a")).toBe(700);
  });
});
