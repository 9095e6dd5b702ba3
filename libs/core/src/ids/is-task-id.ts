/** Whether a value is a UUID in its canonical lower- or upper-case form. */
export function isTaskId(value: unknown): value is string {
  return typeof value === "string" && UUID.test(value);
}

/** Whether it is an id as {@link newTaskId} makes them and the store writes them: a UUIDv7 in lower case. */
export function isOwnTaskId(value: unknown): value is string {
  return typeof value === "string" && OWN_UUID.test(value);
}

const OWN_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
