export { hashApiKey, MIN_KEY_LENGTH, newApiKey } from "./keys/api-key.js";
export { ApiKeyRing } from "./keys/api-key-ring.js";
export { hasShownKey } from "./keys/keyed-connections.js";
export { LinkedList, type ListEntry } from "./limits/linked-list.js";
export type { FindingReportView, FindingView } from "./cluster/finding-view.js";
export type { TypePageView, TypeView } from "./cluster/type-view.js";
export { DelayTaskApiModule, type DelayTaskApiOptions } from "./module/delay-task-api.module.js";
export { type Problem, problemOf } from "./problems/problem.js";
export { ProblemFilter } from "./problems/problem.filter.js";
