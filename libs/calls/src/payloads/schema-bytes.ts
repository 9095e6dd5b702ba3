/** The longest JSON Schema that is announced, and the longest that is read. Bytes. */
const MAX_SCHEMA_BYTES = 16_384;
/** UTF-8 has at most three bytes for a UTF-16 unit. */
const MOST_BYTES_PER_UNIT = 3;

export function isTooLong(text: string): boolean {
  if (text.length * MOST_BYTES_PER_UNIT <= MAX_SCHEMA_BYTES) return false;
  return text.length > MAX_SCHEMA_BYTES || Buffer.byteLength(text) > MAX_SCHEMA_BYTES;
}
