/** Milliseconds that no change of a clock moves. */
export function monoMs(): number {
  return performance.now();
}

/** Does this later, at most an hour from now. @returns what takes it back */
export function after(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, Math.min(Math.max(ms, 0), 3_600_000));
  return () => clearTimeout(timer);
}

/** Ends when the time is over, or the signal is aborted: the caller looks which. */
export function waited(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = (): void => {
      forget();
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const forget = after(ms, end);
    signal?.addEventListener("abort", end);
  });
}

/** A share from 0.8 to 1.2, so that many clients do not come back together. */
export function spread(): number {
  return 0.8 + 0.4 * Math.random();
}
