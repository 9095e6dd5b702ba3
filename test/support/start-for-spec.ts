import { afterAll, beforeAll } from "@jest/globals";

/**
 * Starts something before the first test of a spec, and stops it after the last.
 *
 * @param use is given what was started, for the spec's own variables
 * @example startForSpec(startBatches, (its) => ({ scene, stores } = its));
 */
export function startForSpec<T extends { stop(): Promise<void> }>(
  start: () => Promise<T>,
  use: (started: T) => unknown,
): void {
  let started: T | undefined;
  beforeAll(async () => {
    started = await start();
    use(started);
  });
  afterAll(() => started?.stop());
}
