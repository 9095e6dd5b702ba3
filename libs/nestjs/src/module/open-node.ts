import { Logger } from "@nestjs/common";
import { openNode } from "@tickwheel/node/internals";
import type { ModuleNode, ResolvedDelayTaskOptions } from "./delay-task.options.js";

/**
 * Opens the connections of a node and migrates its schema; nothing runs yet. Where Postgres is away, the start tries
 * the migration again. Its log goes to Nest's logger.
 *
 * @throws TickwheelError `STORE_INCOMPATIBLE` when Postgres is too old, `INTERNAL` when it refuses a right or the
 *   password, `CONFIGURATION_INVALID` when the program of the heartbeat's thread is not there
 */
export async function openDelayTaskNode(options: ResolvedDelayTaskOptions): Promise<ModuleNode> {
  return openNode(options, new Logger("Tickwheel"));
}
