export { hashApiKey, MIN_KEY_LENGTH, newApiKey } from "./api-key.js";
export { ApiKeyRing } from "./api-key-ring.js";
export { DelayTaskApiModule, type DelayTaskApiOptions } from "./delay-task-api.module.js";
export { type Problem, problemOf } from "./problem.js";
export { ProblemFilter } from "./problem.filter.js";
export { Shares } from "./shares.js";
