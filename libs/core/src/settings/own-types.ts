/** The names of the scheduler's own types begin so. */
export const OWN_TYPE_PREFIX = "tickwheel.";

/** Whether a type is the scheduler's own. It can be neither paused nor limited: the scheduler's own work must go on. */
export function isOwnType(type: string): boolean {
  return type.startsWith(OWN_TYPE_PREFIX);
}
