import type { DelayTaskTesting } from "@tickwheel/testing/nest";

/** The pause after a failed try, in the test's time. */
const STEP_MS = 1_000;
/** How many steps a condition may take to hold, or it never will: two minutes of the test's time. */
const MAX_STEPS = 120;

/** Moves the time of a test until something holds: a retry without a pause of real time. */
export class SoonInTime {
  constructor(private readonly time: Pick<DelayTaskTesting, "advance">) {}

  /**
   * Tries an assertion, and moves the time by a second after each try that failed.
   *
   * @param assertion throws while it does not hold
   * @returns what the assertion returned
   * @throws the assertion's last error, after two minutes of the test's time
   */
  async holds<T>(assertion: () => Promise<T>): Promise<T> {
    for (let steps = 0; ; steps++) {
      try {
        return await assertion();
      } catch (error) {
        if (steps === MAX_STEPS) throw error;
      }
      await this.time.advance(STEP_MS);
    }
  }
}
