/**
 * The node that the API is of: that of the module without a name, or of the one that its options name. Not by its
 * class: a provider of ours under it would be found in place of the application's.
 */
export const API_NODE = Symbol("tickwheel API node");
