/**
 * The node and the service that the API is of: those of the module without a name, or of the one that its options name.
 * Not by their classes: a provider of ours under one of these would be found in place of the application's.
 */
export const API_NODE = Symbol("tickwheel API node");
export const API_TASKS = Symbol("tickwheel API tasks");
