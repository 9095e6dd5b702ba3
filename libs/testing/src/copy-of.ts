/**
 * A deep copy of plain data: objects, arrays, bytes, primitives. Unlike `structuredClone` it makes them in this realm, so that test
 * runners that compare prototypes see no difference.
 */
export function copyOf<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (ArrayBuffer.isView(value)) return new Uint8Array(value as unknown as Uint8Array) as T;
  if (Array.isArray(value)) return value.map(copyOf) as T;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, copyOf(field)])) as T;
}
