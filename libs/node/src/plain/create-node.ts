import { type InputRule, isContainer } from "@tickwheel/calls";
import type { NodeLogger } from "../log/node-logger.js";
import { consoleLogger } from "../log/system-console-logger.js";
import { type DelayTaskNodeOptions, resolveNodeOptions } from "../node/node-options.js";
import { openNode } from "../node/open-node.js";
import { TickwheelNode } from "./tickwheel-node.js";

/** Options of {@link createNode}. */
export interface CreateNodeOptions extends DelayTaskNodeOptions {
  /** Where the node writes its log. Default: one line each to the console, without what is for debugging. */
  logger?: NodeLogger | undefined;
}

const LEVELS = ["error", "warn", "log", "debug"];

const loggerRule: InputRule = (value) =>
  isContainer(value) && LEVELS.every((level) => typeof value[level] === "function")
    ? null
    : `must have the methods ${LEVELS.join(", ")}, as console has`;

/**
 * Makes a node in a program of its own: opens its connections and migrates its schema. Nothing runs before its `start`.
 * Where Postgres is away, the start tries the migration again.
 *
 * @example const node = await createNode({ url: process.env.DATABASE_URL });
 * @param options those of `DelayTaskModule` that need no Nest, and the logger
 * @throws TickwheelError `CONFIGURATION_INVALID` with every fault of the options at once, `STORE_INCOMPATIBLE` when
 *   Postgres is too old, `INTERNAL` when it refuses a right or the password
 */
export async function createNode(options: CreateNodeOptions): Promise<TickwheelNode> {
  const resolved = resolveNodeOptions(options, { name: "The node", rules: { logger: loggerRule } });
  return new TickwheelNode(await openNode(resolved, options.logger ?? consoleLogger()));
}
