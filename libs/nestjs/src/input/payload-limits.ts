/** The longest payload, in bytes of its text. */
export const MAX_PAYLOAD_BYTES = 65_536;
/** How deep a payload may be nested. */
export const MAX_PAYLOAD_DEPTH = 32;
