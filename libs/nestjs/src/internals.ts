/**
 * For the testing libraries of Tickwheel alone: how a node is put together. Nothing here keeps its name or its shape.
 */
export { assembleNode } from "./node/assemble-node.js";
export { type ResolvedDelayTaskOptions, resolveDelayTaskOptions } from "./node/delay-task.options.js";
export { NestTelemetry } from "./node/nest-telemetry.js";
export type { NodeGround, NodeStores } from "./node/node-ground.js";
export { openStores, schemaMigration } from "./node/open-node.js";
export { DELAY_TASK_OPTION_NAMES } from "./node/option-rules.js";
