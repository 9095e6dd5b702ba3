/** A day: a receiver that asks for more is asked again tomorrow. */
const MAX_RETRY_AFTER_MS = 86_400_000;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const MONTH = `(?<month>${MONTHS.join("|")})`;
const TIME = String.raw`(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)`;
const DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const LONG_DAY = "(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)";

/** The forms of an HTTP date, all of them in GMT (RFC 9110, 5.6.7): IMF-fixdate, RFC 850, asctime. */
const HTTP_DATES = [
  String.raw`${DAY}, (?<day>\d\d) ${MONTH} (?<year>\d{4}) ${TIME} GMT`,
  String.raw`${LONG_DAY}, (?<day>\d\d)-${MONTH}-(?<year>\d\d) ${TIME} GMT`,
  String.raw`${DAY} ${MONTH} (?<day>[ \d]\d) ${TIME} (?<year>\d{4})`,
].map((form) => new RegExp(`^${form}$`));

/**
 * Milliseconds of a `Retry-After` header (digits, for seconds, or an HTTP date), at most a day. Null where it is
 * neither, or asks for no wait: then the backoff counts.
 *
 * @example parseRetryAfterMs("120", nowMs) // 120000
 */
export function parseRetryAfterMs(header: string | null, nowMs: number): number | null {
  const text = header?.trim() ?? "";
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1_000 : (httpDateMs(text, nowMs) ?? 0) - nowMs;
  return waitMs > 0 ? Math.min(waitMs, MAX_RETRY_AFTER_MS) : null;
}

/** Epoch milliseconds; null: it is no HTTP date, or no day of the calendar. */
function httpDateMs(text: string, nowMs: number): number | null {
  const parts = HTTP_DATES.map((form) => form.exec(text)).find((match) => match !== null)?.groups;
  if (!parts) return null;
  const [day, hour, minute, second] = [parts.day, parts.hour, parts.minute, parts.second].map(Number) as [
    number,
    number,
    number,
    number,
  ];
  const month = MONTHS.indexOf(parts.month!);
  const year = fullYear(parts.year!, nowMs);
  // 60 is a leap second.
  const isTime = hour < 24 && minute < 60 && second <= 60;
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  if (!isTime || date.getUTCMonth() !== month || date.getUTCDate() !== day) return null;
  return date.setUTCHours(hour, minute, second);
}

/** A year of two digits that seems to be more than 50 years ahead is the last one with these digits. */
function fullYear(digits: string, nowMs: number): number {
  if (digits.length === 4) return Number(digits);
  const thisYear = new Date(nowMs).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + Number(digits);
  return year > thisYear + 50 ? year - 100 : year;
}
