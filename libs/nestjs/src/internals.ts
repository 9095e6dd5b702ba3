/**
 * For the testing libraries of Tickwheel alone: how a node is put together. Nothing here keeps its name or its shape.
 */
export {
  assembleNode,
  type NodeGround,
  type NodeStores,
  NodeTelemetry,
  openStores,
  schemaMigration,
} from "@tickwheel/node/internals";
export {
  DELAY_TASK_OPTION_NAMES,
  type ModuleNode,
  type ResolvedDelayTaskOptions,
  resolveDelayTaskOptions,
} from "./module/delay-task.options.js";
