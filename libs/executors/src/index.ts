export * from "./allowed-hosts.js";
export * from "./handler-context.js";
export * from "./handler-executor.js";
export { AddressRanges, isAddressRange } from "./public-addresses.js";
export { MAX_RESULT_DEPTH } from "./result-text.js";
export { type NameLookupOptions } from "./name-lookup.js";
export { type Resolve } from "./name-sources.js";
export * from "./webhook-executor.js";
export { isSecret, SECRETS_RULE } from "./webhook-request.js";
