/** Resolves when one of the signals is aborted. */
export function abortOfAny(signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      for (const signal of signals) signal.removeEventListener("abort", done);
      resolve();
    };
    for (const signal of signals) signal.addEventListener("abort", done);
    if (signals.some((signal) => signal.aborted)) done();
  });
}
