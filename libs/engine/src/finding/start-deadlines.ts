import type { TypeId } from "@tickwheel/core";
import type { EngineContext } from "../runtime/engine-context.js";

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
