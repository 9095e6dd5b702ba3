/** Thrown by a handler: another attempt is of no use, so the task is dead. */
export class NonRetryableError extends Error {
  override readonly name: string = "NonRetryableError";
}

/**
 * Thrown by a handler: the attempt has failed, and the next one is to come after a wait of its own.
 *
 * @example throw new RetryLater("2m", "the bank asked for two minutes");
 */
export class RetryLater extends Error {
  override readonly name: string = "RetryLater";

  /** @param after milliseconds, or a text such as `"15m"` */
  constructor(
    readonly after: number | string,
    message = "it is to be tried again later",
  ) {
    super(message);
  }
}

/** What the server is told of an attempt that has failed. */
export function failureOf(error: unknown): { error: string; retryable?: boolean; retryAfter?: number | string } {
  const text = { error: textOf(error) };
  if (error instanceof NonRetryableError) return { ...text, retryable: false };
  return error instanceof RetryLater ? { ...text, retryAfter: error.after } : text;
}

/** The server takes so many characters, and keeps fewer. */
const LONGEST_ERROR = 65_536;

function textOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text.replaceAll("\0", "").slice(0, LONGEST_ERROR).toWellFormed() || "an error without a text";
}
