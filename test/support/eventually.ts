/** How many times slower than a quiet machine this one is, as the runner has measured; 1 if it measured nothing. */
export const SLOWNESS = Math.max(1, Number(process.env["TICKWHEEL_TEST_SLOWNESS"] ?? 1) || 1);

/**
 * After this time something counts as hung: a minute, or longer on a slow machine. It is the only time that tests
 * judge.
 */
export const HUNG_MS = 60_000 * SLOWNESS;

/** The pause after a failed try. */
const RETRY_MS = 25;

/** Retries an assertion until it holds, or until it counts as hung.
 *
 * @param assertion throws while it does not hold; if it hangs itself, its last error counts
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
 * Lets real time pass, for something that must last, such as an outage that is longer than the beats after which a node
 * is dead. It waits for no event.
 */
export async function lasting(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

/** A try that is cut off by the end has no result of its own: it throws `last`, the error of the try before it. */
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
