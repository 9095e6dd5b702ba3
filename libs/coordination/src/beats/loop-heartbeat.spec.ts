import { describe, expect, test } from "@jest/globals";
import { type NodeAnnouncement, type NodeVitals, type Revision, SlotSet } from "@tickwheel/core";
import { ManualClock, RecordingTelemetry } from "@tickwheel/testing";
import { LoopHeartbeat } from "./loop-heartbeat.js";

const VITALS: NodeVitals = {
  leaving: false,
  view: 3,
  term: 2,
  loopLagMs: 0,
  clockOffsetMs: 0,
  ownedSlots: 0,
  wheelSize: 0,
  inFlight: 0,
};
const REVISION: Revision = { timeline: 1, number: 4 };
const NEVER = new Promise<never>(() => undefined);

class Bench {
  readonly clock = new ManualClock();
  readonly telemetry = new RecordingTelemetry();
  readonly sent: number[] = [];
  readonly good: number[] = [];
  readonly revisions = new Set<Revision>();
  readonly announced: NodeAnnouncement[] = [];
  losses = 0;
  mainLoopAlive = true;
  answer: () => Promise<number | null> = async () => this.sent.length;
  announcing: Promise<void> = Promise.resolve();

  readonly heartbeat = new LoopHeartbeat(
    {
      clock: this.clock,
      telemetry: this.telemetry,
      store: {
        beat: () => {
          this.sent.push(this.clock.monotonicMs());
          return this.answer().then((beat) => (beat === null ? null : { beat, settings: REVISION }));
        },
      },
      coordination: {
        announce: (announcement) => {
          this.announced.push(announcement);
          return this.announcing;
        },
      },
    },
    { heartbeatIntervalMs: 1_000, mainLoopAlive: () => this.mainLoopAlive },
  );

  start(bootId = "1"): Promise<void> {
    const source = () => ({ vitals: VITALS, ownedSlots: new SlotSet().bytes });
    return this.heartbeat.start({ bootId, label: "10.0.0.1:1" }, source, {
      beatGood: ({ sentMonoMs, settings }) => {
        this.good.push(sentMonoMs);
        this.revisions.add(settings);
      },
      lost: () => this.losses++,
    });
  }

  later<T>(delayMs: number, value: T): Promise<T> {
    return new Promise((resolve) => this.clock.setTimer(delayMs, () => resolve(value)));
  }
}

describe("the heartbeat in the loop", () => {
  test("the heartbeat in the loop beats each interval, counts a beat from its sending, then renews the keys", async () => {
    const bench = new Bench();
    bench.answer = () => bench.later(400, 17);
    await bench.start();
    await bench.clock.advance(2_500);
    expect(bench.sent).toEqual([0, 1_000, 2_000]);
    expect(bench.good).toEqual([0, 1_000, 2_000]);
    expect([...bench.revisions]).toEqual([REVISION]);
    expect(bench.announced[0]).toMatchObject({ bootId: "1", label: "10.0.0.1:1", beat: 17, vitals: VITALS });
    await bench.heartbeat.stop();
  });

  test("a beat without an answer fails after one interval, and its late answer is ignored", async () => {
    const bench = new Bench();
    bench.answer = () => bench.later(1_500, 1);
    await bench.start();
    await bench.clock.advance(2_900);
    bench.answer = async () => 3;
    await bench.clock.advance(600);
    expect(bench.sent).toEqual([0, 1_000, 2_000, 3_000]);
    expect(bench.good).toEqual([3_000]);
    await bench.heartbeat.stop();
  });

  test("failures of the heartbeat are reported once when they begin and once when they end", async () => {
    const bench = new Bench();
    bench.answer = async () => Promise.reject(new Error("connection refused"));
    await bench.start();
    await bench.clock.advance(5_500);
    bench.answer = async () => 1;
    await bench.clock.advance(5_000);
    expect(bench.sent).toHaveLength(28);
    expect(bench.telemetry.events.map((event) => event.name)).toEqual([
      "cluster.heartbeat.failed",
      "cluster.heartbeat.acknowledged",
    ]);
    await bench.heartbeat.stop();
  });

  test("after an error the next beat goes out a quarter of an interval later, so a lost session is soon replaced", async () => {
    const bench = new Bench();
    await bench.start();
    await bench.clock.advance(500);
    bench.answer = async () => Promise.reject(new Error("terminated"));
    await bench.clock.advance(600);
    bench.answer = async () => 2;
    await bench.clock.advance(1_500);
    expect(bench.sent).toEqual([0, 1_000, 1_250, 2_250]);
    await bench.heartbeat.stop();
  });

  test("a node announces itself while its beat is not answered, too: with the last good beat, and a pulse that rises", async () => {
    const bench = new Bench();
    await bench.start();
    await bench.clock.advance(500);
    bench.answer = () => bench.later(5_000, 9);
    await bench.clock.advance(749);
    expect(bench.announced.map(({ beat, pulse }) => [beat, pulse])).toEqual([[1, 1]]);
    await bench.clock.advance(1_750);
    expect(bench.announced.map(({ beat, pulse }) => [beat, pulse])).toEqual([
      [1, 1],
      [1, 2],
      [1, 3],
      [1, 4],
    ]);
    bench.mainLoopAlive = false;
    await bench.clock.advance(5_000);
    expect(bench.announced).toHaveLength(5);
    await bench.heartbeat.stop();
  });

  test("a hanging medium delays no beat, and only one renewal waits for it", async () => {
    const bench = new Bench();
    bench.announcing = NEVER;
    await bench.start();
    await bench.clock.advance(3_500);
    expect(bench.good).toEqual([0, 1_000, 2_000, 3_000]);
    expect(bench.announced).toHaveLength(1);
    await bench.heartbeat.stop();
  });

  test("without a row to raise, a heartbeat's boot id is lost and nothing more is sent", async () => {
    const bench = new Bench();
    bench.answer = async () => null;
    await bench.start();
    await bench.clock.advance(5_000);
    expect([bench.losses, bench.sent.length, bench.announced.length]).toEqual([1, 1, 0]);
    bench.answer = async () => 1;
    await bench.start("2");
    await bench.clock.advance(500);
    expect(bench.announced[0]?.bootId).toBe("2");
    await bench.heartbeat.stop();
  });

  test("while the main loop is blocked no beat is sent", async () => {
    const bench = new Bench();
    await bench.start();
    await bench.clock.advance(500);
    bench.mainLoopAlive = false;
    await bench.clock.advance(3_000);
    expect(bench.sent).toEqual([0]);
    bench.mainLoopAlive = true;
    await bench.clock.advance(1_000);
    expect(bench.sent).toEqual([0, 4_000]);
    await bench.heartbeat.stop();
  });

  test("a heartbeat's news is sent at once, or when the beat under way is answered; the next interval counts from then", async () => {
    const bench = new Bench();
    await bench.start();
    await bench.clock.advance(300);
    bench.heartbeat.beatSoon();
    await bench.clock.advance(1_000);
    bench.answer = () => bench.later(400, 1);
    await bench.clock.advance(1_100);
    bench.heartbeat.beatSoon();
    await bench.clock.advance(500);
    expect(bench.sent).toEqual([0, 300, 1_300, 2_300, 2_700]);
    await bench.heartbeat.stop();
  });

  test("a stop of the heartbeat during a beat ends it, and the listener hears nothing more", async () => {
    const bench = new Bench();
    bench.answer = () => bench.later(300, null);
    await bench.start();
    await bench.clock.advance(100);
    await bench.heartbeat.stop();
    await bench.heartbeat.stop();
    await bench.clock.advance(5_000);
    expect([bench.losses, bench.good.length, bench.sent.length]).toEqual([0, 0, 1]);
  });
});
