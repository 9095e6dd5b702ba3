export * from "./suites/coordination-conformance.js";
export type { CoordinationCase, CoordinationSubject } from "./subject/coordination-subject.js";
export * from "./suites/store-conformance.js";
export * from "./subject/subject.js";
export { Scenario } from "./subject/scenario.js";
