/**
 * Something was lost, doubled, early, started after its cancel, or has had its effect twice. The runner never runs such
 * a test again: it knows the error by its name (`test/runner/second-try.mjs`).
 */
export class BrokenPromise extends Error {
  override readonly name = "BrokenPromise";

  constructor(readonly broken: readonly string[]) {
    super(broken.join("\n"));
  }
}

/**
 * Ends a test whose evidence shows a broken promise. Every judge of promises speaks through this.
 *
 * @param broken the promises that were broken, one sentence each; empty: none
 * @throws BrokenPromise
 * @example requirePromises(invariantsOf(evidence))
 */
export function requirePromises(broken: readonly string[]): void {
  if (broken.length > 0) throw new BrokenPromise(broken);
}

/**
 * An assertion that is itself a promise: where it fails, the promise is broken.
 *
 * @throws BrokenPromise with the assertion's message
 * @example promised(() => expect(report).toMatchObject({ lost: 0, firedTwice: 0 }))
 */
export function promised(assertion: () => void): void {
  try {
    assertion();
  } catch (error) {
    throw new BrokenPromise([error instanceof Error ? error.message : String(error)]);
  }
}
