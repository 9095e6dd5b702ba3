import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { ExecutionResult } from "@tickwheel/core";
import { ManualClock } from "@tickwheel/testing";
import { type Destination, HostBreakers } from "./host-breakers.js";

/** Deliveries that have begun and do not end by themselves, beside what found no place. */
interface Hanging {
  placed: number;
  /** When each that found no place comes back, in milliseconds. */
  waits(): Promise<(number | null)[]>;
  end(): Promise<void>;
}

const done: ExecutionResult = { kind: "succeeded", result: null };
const failed: ExecutionResult = { kind: "failed", error: "500", retryable: true };

describe("HostBreakers", () => {
  let breakers: HostBreakers;
  beforeEach(() => {
    breakers = new HostBreakers(new ManualClock(), { placesPerHost: 50 });
  });
  afterEach(() => breakers.close());

  const to = (namespace: string, host = "shop.example"): Destination => ({ namespace, host });
  const succeed = (at: Destination) => breakers.call(at, async () => ({ result: done, hostFailed: false }));
  const fail = (at: Destination) => breakers.call(at, async () => ({ result: failed, hostFailed: true }));
  const failFiveTimes = async (at: Destination): Promise<void> => {
    for (let round = 0; round < 5; round++) await fail(at);
  };

  /** Deliveries that do not end before `end` is called: how many found a place, of so many. */
  function hang(at: Destination, count: number): Hanging {
    const ends: (() => void)[] = [];
    const runs = Array.from({ length: count }, () =>
      breakers.call(at, () => new Promise((resolve) => ends.push(() => resolve({ result: done, hostFailed: false })))),
    );
    const end = async (): Promise<void> => {
      for (const one of ends) one();
      await Promise.all(runs);
    };
    const waits = runs.slice(ends.length).map(async (run) => {
      const result = await run;
      return result.kind === "deferred" ? result.delayMs : null;
    });
    return { placed: ends.length, waits: () => Promise.all(waits), end };
  }

  test("a namespace that makes a host fail leaves another's deliveries to it alone", async () => {
    await failFiveTimes(to("rude"));
    await expect(succeed(to("rude"))).resolves.toMatchObject({ kind: "deferred" });
    await expect(succeed(to("honest"))).resolves.toEqual(done);
  });

  test("a namespace leaves places of a host to the others, and takes all where it is alone", async () => {
    const alone = hang(to("rude"), 60);
    expect(alone.placed).toBe(50);
    await alone.end();
    await succeed(to("honest", "elsewhere.example"));
    const rude = hang(to("rude"), 60);
    const honest = hang(to("honest"), 60);
    expect([rude.placed, honest.placed, hang(to("third"), 1).placed]).toEqual([40, 8, 1]);
    await Promise.all([rude.end(), honest.end()]);
  });

  test("a delivery that finds no place comes back as fast as the host takes deliveries", async () => {
    const clock = new ManualClock();
    breakers.close();
    breakers = new HostBreakers(clock, { placesPerHost: 50 });
    const waitsOf = async (count: number): Promise<(number | null)[]> => {
      const busy = hang(to("shop"), 50 + count);
      expect(busy.placed).toBe(50);
      const waiting = await busy.waits();
      await clock.advance(20);
      await busy.end();
      return waiting;
    };
    expect(await waitsOf(3)).toEqual([1_000, 1_010, 1_020]);
    // A delivery took 20 ms, and the host has 50 places: one can come back every 0.4 ms.
    expect(await waitsOf(6)).toEqual([1_000, 1_001, 1_001, 1_002, 1_002, 1_002]);
  });

  test("a delivery that an open breaker defers is no quick delivery: it shortens nobody's wait for a place", async () => {
    const clock = new ManualClock();
    breakers.close();
    breakers = new HostBreakers(clock, { placesPerHost: 1 });
    const failSlowly = async () => {
      await clock.advance(1_000);
      return { result: failed, hostFailed: true };
    };
    for (let round = 0; round < 5; round++) await breakers.call(to("shop"), failSlowly);
    for (let round = 0; round < 200; round++)
      await expect(succeed(to("shop"))).resolves.toMatchObject({ kind: "deferred" });
    const busy = hang(to("other"), 1);
    expect(busy.placed).toBe(1);
    await expect(succeed(to("shop"))).resolves.toEqual({ kind: "deferred", delayMs: 1_000 });
    await busy.end();
  });

  test("a host that rests is not called; deliveries that wait for it come back one after the other", async () => {
    const clock = new ManualClock();
    breakers.close();
    const rests = new Map([["shop", 5_000.2]]);
    breakers = new HostBreakers(clock, { placesPerHost: 50, restMs: ({ namespace }) => rests.get(namespace) ?? 0 });
    const waits = [1, 2, 3].map(() => breakers.call(to("shop"), () => Promise.reject(new Error("called"))));
    await expect(Promise.all(waits)).resolves.toEqual(
      [5_001, 5_011, 5_021].map((delayMs) => ({ kind: "deferred", delayMs })),
    );
    await expect(succeed(to("other"))).resolves.toEqual(done);
    rests.clear();
    await expect(succeed(to("shop"))).resolves.toEqual(done);
  });

  test("a namespace that delivers to many hosts makes only its own breakers be forgotten", async () => {
    await failFiveTimes(to("honest"));
    await failFiveTimes(to("rude"));
    for (let at = 0; at < 1_200; at++) await succeed(to("rude", `h${at}.example`));
    await expect(succeed(to("honest"))).resolves.toMatchObject({ kind: "deferred" });
    await expect(succeed(to("rude"))).resolves.toEqual(done);
  });
});
