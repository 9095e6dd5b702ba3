import { type Clock, TickwheelError } from "@tickwheel/core";

/**
 * [no-in-doubt-leak]: waits for a reply of the store, but not for ever. A later reply is discarded: the effect of that
 * statement is in doubt by then, and its tasks may have been given back and claimed anew.
 *
 * @throws TickwheelError `STORE_UNAVAILABLE` when no reply came in time
 */
export function withinTime<T>(clock: Clock, limitMs: number, call: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(limitMs, () => {
      reject(new TickwheelError("STORE_UNAVAILABLE", `no reply from the store within ${limitMs} ms`));
    });
    const answered =
      <Answer>(settle: (answer: Answer) => void) =>
      (answer: Answer): void => {
        timer.clear();
        settle(answer);
      };
    call().then(answered(resolve), answered(reject));
  });
}
