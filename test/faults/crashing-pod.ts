import type { TestNode } from "../support/cluster.js";
import { lasting } from "../support/eventually.js";
import type { ScheduleRecords } from "./schedule-records.js";

/** From being ready to its death; its death is then noticed long before 30 s of life. */
const LIFE_MS = 8_000;
const LOOK_EVERY_MS = 250;
const REST_MS = 3_000;

/**
 * A pod that crashes again and again: it starts, announces what its code says, and dies by SIGKILL within seconds. A
 * start that fails, since Postgres is away, is tried again like any other.
 */
export class CrashingPod {
  /** Lives in which it has announced its schedules. */
  announced = 0;
  private isOver = false;
  private readonly lives: Promise<void>;

  constructor(
    private readonly start: () => Promise<TestNode>,
    private readonly records: Pick<ScheduleRecords, "hasAnnounced">,
  ) {
    this.lives = this.live();
  }

  /** Its last life ends too. */
  async stop(): Promise<void> {
    this.isOver = true;
    await this.lives;
  }

  private async live(): Promise<void> {
    while (!this.isOver) {
      const node = await this.start().catch(() => null);
      if (node) await this.liveAndDie(node);
      await lasting(REST_MS);
    }
  }

  private async liveAndDie(node: TestNode): Promise<void> {
    const endMonoMs = performance.now() + LIFE_MS;
    let hasAnnounced = false;
    while (!hasAnnounced && performance.now() < endMonoMs) {
      hasAnnounced = await this.records.hasAnnounced(node.pid).catch(() => false);
      await lasting(LOOK_EVERY_MS);
    }
    if (hasAnnounced) this.announced += 1;
    await node.kill();
  }
}
