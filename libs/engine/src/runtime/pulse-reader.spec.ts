import { describe, expect, test } from "@jest/globals";
import type { Pulse, PulseRequest } from "@tickwheel/core";
import { Health } from "@tickwheel/coordination";
import { ManualClock, RecordingTelemetry } from "@tickwheel/testing";
import { PulseReader } from "./pulse-reader.js";
import { PulsedService } from "./pulsed-service.js";

const QUIET: Pulse = {
  timeline: "00000001",
  endedTasks: false,
  lateTasks: false,
  deadOwners: null,
  deadTallies: false,
  batchTallies: false,
  openBatches: false,
  dueOperations: false,
  dueSchedules: false,
};

/** A node's pulse, whose answers take some time, and chores that ask it. */
class Scene {
  readonly clock = new ManualClock();
  readonly health = new Health(this.clock, new RecordingTelemetry());
  /** When it was asked, and for what. */
  readonly asks: [number, PulseRequest][] = [];
  answer: () => Promise<Pulse> = async () => QUIET;
  takesMs = 0;
  readonly pulse = new PulseReader(this.clock, {
    pulse: async (request) => {
      this.asks.push([this.clock.monotonicMs(), request]);
      if (this.takesMs > 0) await new Promise<void>((resolve) => this.clock.setTimer(this.takesMs, resolve));
      return this.answer();
    },
  });

  get askedAt(): number[] {
    return this.asks.map(([at]) => at);
  }

  chore(everyMs = 1_000): Chore {
    return new Chore(this, everyMs);
  }
}

class Chore extends PulsedService {
  readonly runs: number[] = [];
  work: () => Promise<void> = async () => undefined;

  constructor(
    private readonly scene: Scene,
    private readonly interval: number,
  ) {
    super("chore", scene);
  }

  async runOnce(): Promise<void> {
    this.runs.push(this.scene.clock.monotonicMs());
    await this.work();
  }

  protected everyMs(): number {
    return this.interval;
  }

  protected mayFind({ deadTallies }: Pulse): boolean {
    return deadTallies;
  }
}

describe("the pulse of a node", () => {
  test("the pulse of a node is asked once a second for all chores, whenever started, and none runs while there is nothing", async () => {
    const scene = new Scene();
    const chores = [scene.chore(), scene.chore(), scene.chore()];
    for (const chore of chores) {
      await chore.start();
      await scene.clock.advance(300);
    }
    await scene.clock.advance(4_600);
    expect(scene.askedAt).toEqual([0, 1_000, 2_000, 3_000, 4_000, 5_000]);
    expect(chores.flatMap(({ runs }) => runs)).toEqual([]);
    await Promise.all(chores.map((chore) => chore.stop()));
    await scene.clock.advance(5_000);
    expect(scene.asks).toHaveLength(6);
  });

  test("the pulse of a node lets a chore run at each turn at which it tells of work, and at no turn after it", async () => {
    const scene = new Scene();
    const chore = scene.chore();
    await chore.start();
    await scene.clock.advance(1_500);
    scene.answer = async () => ({ ...QUIET, deadTallies: true });
    await scene.clock.advance(2_000);
    scene.answer = async () => QUIET;
    await scene.clock.advance(2_000);
    expect(chore.runs).toEqual([2_000, 3_000]);
    await chore.stop();
  });

  test("the pulse of a node is not used by a chore that looks more often than it was asked", async () => {
    const scene = new Scene();
    const often = scene.chore(200);
    const seldom = scene.chore(2_000);
    await seldom.start();
    await often.start();
    await scene.clock.advance(1_000);
    expect(scene.askedAt).toEqual([0, 200, 400, 600, 800, 1_000]);
    await Promise.all([often.stop(), seldom.stop()]);
  });

  test("the pulse of a node shows a row to each chore within its interval, also one committed right after a look", async () => {
    const scene = new Scene();
    scene.takesMs = 50;
    const chores = [scene.chore(), scene.chore()];
    await chores[0]!.start();
    await scene.clock.advance(900);
    await chores[1]!.start();
    await scene.clock.advance(161);
    scene.answer = async () => ({ ...QUIET, deadTallies: true });
    await scene.clock.advance(1_000);
    for (const { runs } of chores) expect(runs).toEqual([2_050]);
    await Promise.all(chores.map((chore) => chore.stop()));
  });

  test("the pulse of a node is asked for what is to be asked at that moment", async () => {
    const scene = new Scene();
    scene.pulse.connect(() => ({ expiring: [7], asksOwners: true }));
    await scene.pulse.read(1_000).answer;
    expect(scene.asks).toEqual([[0, { expiring: [7], asksOwners: true }]]);
  });
});

describe("a chore looks by itself", () => {
  test.each<[string, (scene: Scene) => void]>([
    ["fails", (scene) => void (scene.answer = () => Promise.reject(new Error("no rights")))],
    [
      "cannot be asked",
      (scene) =>
        scene.pulse.connect(() => {
          throw new Error("no types");
        }),
    ],
    ["does not answer within a second", (scene) => void (scene.takesMs = 60_000)],
  ])("a chore looks by itself at each turn while the pulse %s", async (_, spoil) => {
    const scene = new Scene();
    spoil(scene);
    const chore = scene.chore();
    await chore.start();
    await scene.clock.advance(6_000);
    expect(chore.runs.length).toBeGreaterThanOrEqual(5);
    const stopped = chore.stop();
    await scene.clock.advance(1_000);
    await stopped;
  });

  test("a chore looks by itself at each turn where there is no pulse", async () => {
    const { clock, health } = new Scene();
    const chore = new Chore({ clock, health } as Scene, 1_000);
    await chore.start();
    await clock.advance(2_500);
    expect(chore.runs).toEqual([0, 1_000, 2_000]);
    await chore.stop();
  });

  test("a chore that is woken looks by itself at once, whatever the pulse has told; then it follows the pulse again", async () => {
    const scene = new Scene();
    const chore = scene.chore();
    await chore.start();
    await scene.clock.advance(400);
    chore.wake();
    await scene.clock.advance(2_000);
    expect(chore.runs).toEqual([400]);
    expect(scene.askedAt).toEqual([0, 1_000, 2_000]);
    await chore.stop();
  });

  test("a chore looks by itself again and again after a failure until a run succeeds, whatever the pulse tells", async () => {
    const scene = new Scene();
    const chore = scene.chore();
    chore.work = () => Promise.reject(new Error("away"));
    await chore.start();
    chore.wake();
    await scene.clock.advance(1_200);
    chore.work = async () => undefined;
    await scene.clock.advance(2_000);
    expect(chore.runs).toEqual([0, 500, 1_000, 1_500]);
    await chore.stop();
  });
});
