/** As many as one call over REST may bring. */
const MAX_ITEMS = 10_000;
const MAX_BYTES = 16 * 1_048_576;
/** Parts of so few tasks are not measured: each payload is bounded. */
const FEW = 200;

/**
 * Splits a bulk, in its order, into parts that one statement may write: at most 10,000 tasks or 16 MiB of payloads, and
 * at least one task.
 */
export function bulkPartsOf<Item extends { payload: unknown }>(items: readonly Item[]): readonly Item[][] {
  if (items.length <= FEW) return [[...items]];
  const parts: Item[][] = [[]];
  let bytes = 0;
  for (const item of items) {
    const size = bytesOf(item.payload);
    const part = parts.at(-1)!;
    if (part.length > 0 && (part.length === MAX_ITEMS || bytes + size > MAX_BYTES)) {
      parts.push([item]);
      bytes = size;
    } else {
      part.push(item);
      bytes += size;
    }
  }
  return parts;
}

function bytesOf(payload: unknown): number {
  return (typeof payload === "string" ? payload : (JSON.stringify(payload) ?? "")).length;
}
