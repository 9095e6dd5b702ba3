import type { SchedulerOptions } from "@tickwheel/core";
import type { DelayTaskService } from "@tickwheel/nestjs";
import type { StoreTraffic } from "./store-traffic.js";
import type { TestRuns } from "./test-runs.js";

/** How many of the tasks that ran last are looked for. */
const LOOKED_FOR = 20;

/** Tells of a task that is not found whether the retention has deleted it, because the test's time went on so far. */
export class RetentionHint {
  constructor(
    private readonly parts: { runs: Pick<TestRuns, "since">; traffic: Pick<StoreTraffic, "hasForgotten"> },
    private readonly tasks: Pick<DelayTaskService, "get">,
    private readonly options: Pick<SchedulerOptions, "historyRetentionDays" | "deadRetentionDays">,
  ) {}

  /**
   * Why a task of this type, and of this key where it is named, may not be there any more, as sentences; null: the
   * retention has deleted nothing.
   */
  async whyGone(type: string, key: string | undefined): Promise<string | null> {
    const gone = await this.gone(type, key);
    if (gone === 0 && !this.parts.traffic.hasForgotten) return null;
    const what =
      gone > 0
        ? `${gone === 1 ? "One that has run is" : `${gone} that have run are`} gone`
        : "Ended tasks are gone, and such a one may have been among them";
    const { historyRetentionDays, deadRetentionDays } = this.options;
    return `${what}: the test's time has passed their retention (historyRetentionDays ${historyRetentionDays}, deadRetentionDays ${deadRetentionDays}, keepSucceeded, keepCancelled and keepDead of a type). Look before the time moves so far, or keep them for longer.`;
  }

  private async gone(type: string, key: string | undefined): Promise<number> {
    const ran = this.parts.runs.since(0).map(({ task }) => task);
    const like = ran.filter((task) => task.type === type && (key === undefined || task.key === key));
    const ids = [...new Set(like.map(({ id }) => id))].slice(-LOOKED_FOR);
    const found = await Promise.all(ids.map((id) => this.tasks.get(id)));
    return found.filter((task) => task === null).length;
  }
}
