/**
 * For `@tickwheel/nestjs` and the testing libraries of Tickwheel: how a node is put together. Nothing here keeps its
 * name or its shape.
 */
export {
  type CodeIntervalOptions,
  codeInterval,
  type CodeSchedule,
  codeSchedule,
  type CodeScheduleOptions,
  type NodeSchedule,
} from "./handlers/code-schedule.js";
export { eventName } from "./handlers/event-name.js";
export type { NodeHandler, NodeListener } from "./handlers/node-handler.js";
export { LINES_PER_WINDOW, LOG_WINDOW_MS } from "./log/log-limit.js";
export { handlerLoggers } from "./log/handler-logger.js";
export { NodeTelemetry } from "./log/node-telemetry.js";
export { assembleNode } from "./node/assemble-node.js";
export { DelayTaskNode } from "./node/delay-task.node.js";
export type { NodeGround, NodeStores } from "./node/node-ground.js";
export { type DelayTaskNodeOptions, type ResolvedNodeOptions, resolveNodeOptions } from "./node/node-options.js";
export { openNode, openStores, schemaMigration } from "./node/open-node.js";
export { NODE_OPTION_NAMES, type OptionRules, trueOrFalse } from "./node/option-rules.js";
export { DelayTaskService } from "./faces/delay-task.service.js";
