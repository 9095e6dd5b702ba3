import type { Pulse, TypeId } from "@tickwheel/core";
import type { EngineContext } from "../runtime/engine-context.js";
import { PulsedService } from "../runtime/pulsed-service.js";

/**
 * Ends tasks that are past their start deadline, also those that consumers fetch: as often as a sweep comes, one batch
 * at a time, and at once again after a full batch.
 */
export class Expirer extends PulsedService {
  constructor(
    private readonly context: EngineContext,
    private readonly typeIds: () => readonly TypeId[],
  ) {
    super("expire", context);
  }

  async runOnce(): Promise<void> {
    const typeIds = this.typeIds();
    if (typeIds.length > 0 && (await expireBatch(this.context, typeIds))) this.wake();
  }

  protected everyMs(): number {
    return this.context.options.sweepIntervalMs;
  }

  protected mayFind({ lateTasks }: Pulse): boolean {
    return lateTasks;
  }
}

/**
 * Ends one batch of tasks of these types that have never started and are past their start deadline. The store decides
 * which. A claim refuses them as well, so this only records the end and frees their keys. Returns whether there may be
 * more.
 */
export async function expireBatch(
  { tasks, telemetry, options }: EngineContext,
  typeIds: readonly TypeId[],
): Promise<boolean> {
  const limit = options.upkeepBatchSize;
  const count = await tasks.expire({ typeIds, limit });
  if (count > 0) {
    telemetry.emit({
      name: "engine.expire.done",
      level: "info",
      message: `${count} tasks did not start by their start deadline and ended expired`,
      facts: { count },
    });
  }
  return count >= limit;
}
