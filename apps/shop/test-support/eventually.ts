/** An assertion that does not hold after so long hangs, in milliseconds. */
const HUNG_MS = 60_000;
const RETRY_MS = 20;

/** Asserts again and again until it holds. @throws the assertion's last error */
export async function eventually<T>(assertion: () => Promise<T>): Promise<T> {
  const endMonoMs = performance.now() + HUNG_MS;
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (performance.now() > endMonoMs) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
