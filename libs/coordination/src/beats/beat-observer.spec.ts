import { describe, expect, test } from "@jest/globals";
import { FIRST_VITALS, DEFAULT_OPTIONS, type NodeBeat } from "@tickwheel/core";
import { ManualClock, RecordingTelemetry } from "@tickwheel/testing";
import { BeatObserver } from "./beat-observer.js";
import { Health } from "../health/health.js";

class Bench {
  readonly clock = new ManualClock();
  store: (() => Promise<NodeBeat[]>) | null = async () => this.beats;
  medium: NodeBeat[] | null = null;
  beats: NodeBeat[] = [{ bootId: "1", label: "10.0.0.1:1", beat: 1, vitals: FIRST_VITALS }];
  storeReads = 0;
  isFit = true;
  mediumMs = 0;

  readonly observer = new BeatObserver(
    {
      clock: this.clock,
      health: new Health(this.clock, new RecordingTelemetry()),
      store: {
        readBeats: async () => {
          this.storeReads++;
          if (this.store === null) throw new Error("connection refused");
          return this.store();
        },
      },
      coordination: {
        readBeats: async () => {
          await new Promise<void>((resolve) => void this.clock.setTimer(this.mediumMs, resolve));
          return this.medium;
        },
      },
    },
    DEFAULT_OPTIONS,
    () => this.isFit,
  );

  async polls(forMs: number, before: () => void = () => undefined): Promise<void> {
    for (let at = 0; at < forMs; at += 250) {
      await this.clock.advance(250);
      before();
      const look = this.observer.runOnce();
      await this.clock.advance(0);
      await look;
    }
  }
}

describe("the observer of beats", () => {
  test("the beat observer asks Postgres about once an interval, more often while a beat stands in Redis; Postgres decides", async () => {
    const bench = new Bench();
    const beat = (): void => {
      const tick = Math.floor(bench.clock.monotonicMs() / 1_000);
      bench.beats = bench.beats.map((seen) => ({ ...seen, beat: tick }));
      bench.medium = bench.beats;
    };
    await bench.polls(10_000, beat);
    expect(bench.storeReads).toBe(10);
    bench.medium = bench.beats.map((seen) => ({ ...seen }));
    await bench.polls(10_000, () => bench.beats.forEach((seen) => seen.beat++));
    expect(bench.storeReads).toBeGreaterThan(15);
    expect(bench.observer.suspects()).toEqual(new Set());
  });

  test("the beat observer falls back to Postgres in the same poll when Redis has nothing", async () => {
    const bench = new Bench();
    bench.medium = bench.beats;
    await bench.polls(250);
    expect(bench.storeReads).toBe(1);
    bench.medium = null;
    await bench.polls(250);
    expect(bench.storeReads).toBe(2);
  });

  test("the beat observer shows by Redis who still beats while Postgres does not answer, and judges nobody by that", async () => {
    const bench = new Bench();
    const [one] = bench.beats as [NodeBeat];
    bench.beats = [one, { ...one, bootId: "2" }];
    const beat = (): void => {
      const tick = 10 + Math.floor(bench.clock.monotonicMs() / 1_000);
      bench.medium = bench.beats.map((seen) => ({ ...seen, beat: seen.bootId === "1" ? tick : 5 }));
    };
    await bench.polls(2_000, beat);
    bench.store = null;
    await bench.polls(10_000, beat);
    expect(bench.observer.beatAgeMs("1")).toBeLessThan(1_250);
    expect(bench.observer.beatAgeMs("2")).toBeGreaterThan(9_000);
    expect(bench.observer.suspects()).toEqual(new Set());
  });

  test("the beat observer does not wait for a slow Redis, so the age of silent nodes grows as fast as ever", async () => {
    const bench = new Bench();
    bench.medium = bench.beats;
    bench.mediumMs = 900;
    for (let look = 0; look < 15; look++) {
      const looking = bench.observer.runOnce();
      await bench.clock.advance(500);
      await looking;
    }
    expect([bench.clock.monotonicMs(), bench.observer.dead()]).toEqual([7_500, new Set(["1"])]);
  });

  test("the beat observer suspects silent nodes, then finds them dead, and shows for how long they have been silent", async () => {
    const bench = new Bench();
    await bench.polls(250);
    await bench.polls(3_000);
    expect([bench.observer.suspects(), bench.observer.dead()]).toEqual([new Set(["1"]), new Set()]);
    await bench.polls(4_000);
    expect(bench.observer.dead()).toEqual(new Set(["1"]));
    await bench.clock.advance(100);
    expect(bench.observer.beatAgeMs("1")).toBe(7_100);
    expect(bench.observer.beatAgeMs("2")).toBeNull();
  });

  test.each([
    ["Postgres does not answer", (bench: Bench) => (bench.store = null)],
    ["its own beats do not get through", (bench: Bench) => (bench.isFit = false)],
  ])("the beat observer judges nobody while %s", async (_, cutOff) => {
    const bench = new Bench();
    await bench.polls(1_000);
    cutOff(bench);
    await bench.polls(60_000);
    expect(bench.observer.suspects()).toEqual(new Set());
  });
});
