/** Keys of occurrences begin so; no caller may choose such a key. */
export const SCHEDULE_KEY = "schedule:";

/** Whether a task belongs to a schedule, which alone decides about its time. */
export function isOccurrence({ key }: { key: string | null }): boolean {
  return key !== null && key.startsWith(SCHEDULE_KEY);
}
