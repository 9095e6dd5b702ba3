/** How long the next look is put off after one that failed. */
const RETRY_MS = 25;

/**
 * Retries an assertion until it holds.
 *
 * @param assertion throws while it does not hold; one that hangs counts as failed at the deadline, for what it threw last
 * @param deadlineMs how long it may take in all
 * @returns what the assertion returned
 * @throws the assertion's last error, with the time that it was given
 * @example await eventually(async () => expect(await ledger.effects()).toHaveLength(3), 5_000)
 */
export async function eventually<T>(assertion: () => T | Promise<T>, deadlineMs: number): Promise<T> {
  const endMonoMs = performance.now() + deadlineMs;
  let last: unknown = new Error("the assertion itself did not end");
  for (;;) {
    try {
      return await within(assertion, endMonoMs, last);
    } catch (error) {
      last = error;
      if (performance.now() + RETRY_MS > endMonoMs) throw tooLate(error, deadlineMs);
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** A look that the deadline cuts off says nothing of its own: it throws `last`, what the one before it threw. */
async function within<T>(assertion: () => T | Promise<T>, endMonoMs: number, last: unknown): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const hung = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(last), Math.max(0, endMonoMs - performance.now()));
  });
  try {
    return await Promise.race([assertion(), hung]);
  } finally {
    clearTimeout(timer);
  }
}

/** Keeps the assertion's own message and stack, which name what was seen and where. */
function tooLate(error: unknown, deadlineMs: number): unknown {
  if (!(error instanceof Error)) return new Error(`not within ${deadlineMs} ms: ${String(error)}`, { cause: error });
  error.message = `not within ${deadlineMs} ms: ${error.message}`;
  return error;
}
