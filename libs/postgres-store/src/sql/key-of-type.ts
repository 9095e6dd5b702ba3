/**
 * What the indexes of keys begin with, as SQL: one 64-bit number of a key's hash (upper half) and its type (lower
 * half). The id follows. It is one number and no row of two, for before release 18 Postgres ends a backward scan by the
 * first column of a row alone: it would read the key's tasks of all types with a lower id.
 */
export function keyOfTypeSql(key = "key", typeId = "type_id"): string {
  return `(hashtext(${key})::bigint << 32 | ${typeId})`;
}

/** The highest number that a type of this key can have. */
export function lastOfKeySql(key: string): string {
  return keyOfTypeSql(key, "4294967295");
}

/**
 * A range of the indexes of keys, and its order: the tasks of one key and type, newest first, below an id.
 *
 * @param keyOfType - The number of the key and type, as SQL; see {@link keyOfTypeSql}.
 * @param below - The id, as SQL.
 */
export function newestOfKeySql(keyOfType: string, below: string): { condition: string; order: string } {
  const place = keyOfTypeSql();
  return {
    condition: `${place} >= ${keyOfType} AND (${place}, id) < (${keyOfType}, ${below})`,
    order: `${place} DESC, id DESC`,
  };
}
