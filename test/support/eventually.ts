/** How many times slower than a quiet machine the runner found this one; 1 where it measured nothing. */
export const SLOWNESS = Math.max(1, Number(process.env["TICKWHEEL_TEST_SLOWNESS"] ?? 1) || 1);

/** What has not happened by then hangs. A minute, or longer on a slow machine: tests judge no clock but this one. */
export const HUNG_MS = 60_000 * SLOWNESS;

/** How long the next look is put off after one that failed. */
const RETRY_MS = 25;

/**
 * Retries an assertion until it holds, or until it must be said to hang.
 *
 * @param assertion throws while it does not hold; one that hangs itself counts as failed, for what it threw last
 * @returns what the assertion returned
 * @throws the assertion's last error, with the time that it was given
 * @example await eventually(async () => expect(await ledger.effects()).toHaveLength(3))
 */
export async function eventually<T>(assertion: () => T | Promise<T>): Promise<T> {
  const endMonoMs = performance.now() + HUNG_MS;
  let last: unknown = new Error("the assertion itself did not end");
  for (;;) {
    try {
      return await within(assertion, endMonoMs, last);
    } catch (error) {
      last = error;
      if (performance.now() + RETRY_MS > endMonoMs) throw hung(error);
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/**
 * Lets real time pass, for what must last: an outage that is longer than the beats after which a node is dead. Waits
 * for nothing.
 */
export async function lasting(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

/** A look that the end cuts off says nothing of its own: it throws `last`, what the one before it threw. */
async function within<T>(assertion: () => T | Promise<T>, endMonoMs: number, last: unknown): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const cut = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(last), Math.max(0, endMonoMs - performance.now()));
  });
  try {
    return await Promise.race([assertion(), cut]);
  } finally {
    clearTimeout(timer);
  }
}

/** Keeps the assertion's own message and stack, which name what was seen and where. */
function hung(error: unknown): unknown {
  if (!(error instanceof Error)) return new Error(`not within ${HUNG_MS} ms: ${String(error)}`, { cause: error });
  error.message = `not within ${HUNG_MS} ms: ${error.message}`;
  return error;
}
