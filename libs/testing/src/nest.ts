/** The testing module of a Nest application, and what calls a handler alone. */
export { type AdvanceOptions, DelayTaskTesting } from "./nest/delay-task-testing.js";
export { DelayTaskTestingModule, type TestingBuilder } from "./nest/delay-task-testing.module.js";
export { ExpectedTask } from "./nest/expected-task.js";
export { contextOf, type ContextParts, type RecordedContext, taskOf } from "./nest/handler-alone.js";
export { memoryStores } from "./nest/memory-stores.js";
export { PulledTask } from "./nest/pulled-task.js";
export type { HandlerRun } from "./nest/test-runs.js";
export type { DelayTaskTestingOptions } from "./nest/testing-options.js";
