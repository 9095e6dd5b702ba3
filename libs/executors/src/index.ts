export * from "./allowed-hosts.js";
export * from "./handler-context.js";
export * from "./handler-executor.js";
export { MAX_RESULT_DEPTH } from "./result-text.js";
export * from "./webhook-executor.js";
