/** How deep a payload may be nested. */
export const MAX_PAYLOAD_DEPTH = 32;
