import type { Clock, SettingStore, TaskHint } from "@tickwheel/core";
import type { Health } from "@tickwheel/coordination";
import { PeriodicService } from "../runtime/periodic-service.js";

/** Most tasks of one look. */
const RESUMED_AT_ONCE = 500;
const LOOK_INTERVAL_MS = 1_000;
/** Without a pause that is over, as far as this node knows. */
const IDLE_INTERVAL_MS = 60_000;

interface KeeperParts {
  clock: Clock;
  health: Health;
  store: Pick<SettingStore, "resumeEndedKeys">;
  inForce: { readonly hasEndedKeys: boolean };
  /** Receives tasks that are scheduled again. */
  publish: (hints: TaskHint[]) => void;
}

/**
 * [paused-key]: resumes the tasks of keys whose pause is over. A claim that believed in the pause may commit behind a
 * look, so the looks go on each second for as long as a pause is known that is over; and each minute otherwise, for a
 * pause that ended while nobody was there.
 */
export class PausedKeyKeeper extends PeriodicService {
  private wasFull = false;

  constructor(private readonly parts: KeeperParts) {
    super("paused_keys", parts);
  }

  async runOnce(): Promise<void> {
    const resumed = await this.parts.store.resumeEndedKeys(RESUMED_AT_ONCE);
    this.wasFull = resumed.length === RESUMED_AT_ONCE;
    if (resumed.length > 0) this.parts.publish(resumed);
  }

  protected intervalMs(): number {
    if (this.wasFull) return 0;
    return this.parts.inForce.hasEndedKeys ? LOOK_INTERVAL_MS : IDLE_INTERVAL_MS;
  }
}
