import type { EpochMs } from "../task/task.js";

/** Instants need an offset: a time without one would mean another moment on every machine. */
const INSTANT = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})$/;
/** The instants whose year has four digits. */
const FIRST_INSTANT = Date.parse("0000-01-01T00:00:00Z");
const LAST_INSTANT = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * Epoch milliseconds of an ISO 8601 instant with offset, or of a Date of the same years; else null. A day that the
 * calendar lacks is refused. Fractions of a millisecond are cut off.
 */
export function parseInstant(value: unknown): EpochMs | null {
  if (value instanceof Date) {
    const at = Date.prototype.getTime.call(value);
    return at >= FIRST_INSTANT && at <= LAST_INSTANT ? at : null;
  }
  if (typeof value !== "string" || !INSTANT.test(value)) return null;
  const at = Date.parse(value);
  const day = Number(value.slice(8, 10));
  return Number.isFinite(at) && (day <= 28 || day <= lastDayOfMonth(value)) ? at : null;
}

function lastDayOfMonth(instant: string): number {
  return new Date(Date.UTC(Number(instant.slice(0, 4)), Number(instant.slice(5, 7)), 0)).getUTCDate();
}
