import { describe, expect, test } from "@jest/globals";
import { ManualClock, RecordingTelemetry } from "@tickwheel/testing";
import { Health } from "@tickwheel/coordination";
import { PeriodicService } from "./periodic-service.js";

class Counting extends PeriodicService {
  runs: number[] = [];
  work: () => Promise<void> = async () => undefined;

  constructor(
    private readonly manual: ManualClock,
    telemetry = new RecordingTelemetry(),
  ) {
    super("count", { clock: manual, health: new Health(manual, telemetry) });
  }

  async runOnce(): Promise<void> {
    this.runs.push(this.manual.monotonicMs());
    await this.work();
  }

  protected intervalMs(): number {
    return 1_000;
  }
}

describe("PeriodicService", () => {
  test("a periodic service runs at once and after each interval, until it is stopped", async () => {
    const clock = new ManualClock();
    const service = new Counting(clock);
    await service.start();
    await service.start();
    await clock.advance(2_500);
    await service.stop();
    await service.stop();
    await clock.advance(5_000);
    expect(service.runs).toEqual([0, 1_000, 2_000]);
    expect(clock.pendingTimers).toBe(0);
  });

  test("stopping a periodic service before its start is harmless, and a stopped service can be started again", async () => {
    const clock = new ManualClock();
    const service = new Counting(clock);
    await service.stop();
    await service.start();
    await service.stop();
    await service.start();
    await clock.advance(1_500);
    await service.stop();
    expect(service.runs.at(-1)).toBe(1_000);
  });

  test("a wake during a run of a periodic service leads to one more run right after it", async () => {
    const clock = new ManualClock();
    const service = new Counting(clock);
    service.work = () => new Promise((resolve) => clock.setTimer(100, resolve));
    await service.start();
    await clock.advance(50);
    service.wake();
    service.wake();
    await clock.advance(500);
    expect(service.runs).toEqual([0, 100]);
    await service.stop();
  });

  test("the stop of a periodic service waits for the run under way", async () => {
    const clock = new ManualClock();
    const service = new Counting(clock);
    let ended = false;
    service.work = () => new Promise<void>((resolve) => clock.setTimer(100, resolve)).then(() => void (ended = true));
    await service.start();
    await clock.advance(50);
    const stopped = service.stop().then(() => ended);
    await clock.advance(100);
    expect(await stopped).toBe(true);
  });

  test("a failure of a periodic service ends only its run: it is reported once, and the next run comes soon", async () => {
    const clock = new ManualClock();
    const telemetry = new RecordingTelemetry();
    const service = new Counting(clock, telemetry);
    service.work = () => Promise.reject(new Error("away"));
    await service.start();
    await clock.advance(1_200);
    expect(service.runs).toEqual([0, 500, 1_000]);
    service.work = async () => undefined;
    await clock.advance(500);
    expect(telemetry.events.map(({ name, level }) => [name, level])).toEqual([
      ["engine.count.degraded", "warn"],
      ["engine.count.recovered", "info"],
    ]);
    await service.stop();
  });
});
