export * from "./allowed-hosts.js";
export * from "./handler-context.js";
export * from "./handler-executor.js";
export * from "./webhook-executor.js";
