/**
 * A deep copy of plain data: objects, arrays, bytes, primitives. Unlike `structuredClone` it makes the copy in this
 * realm, so test runners that compare prototypes see no difference.
 */
export function copyOf<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (ArrayBuffer.isView(value)) return new Uint8Array(value as unknown as Uint8Array) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => copyOf(item)) as T;
  const copy = { ...value } as Record<string, unknown>;
  for (const name in copy) if (typeof copy[name] === "object") copy[name] = copyOf(copy[name]);
  return copy as T;
}
