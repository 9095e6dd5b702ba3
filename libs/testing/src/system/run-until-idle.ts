/** The real `setImmediate`, even if a test replaces the global timers later. */
// oxlint-disable-next-line no-restricted-globals -- simulated time goes on by turns of the real loop
const inTurn = setImmediate;

/**
 * At most this many turns are asked for at once. More would gain nothing: at this size a round of the event loop costs
 * next to nothing per turn.
 */
const MAX_BATCH = 64;

/**
 * Calls `takeTurn` again and again until it returns false, each time after every promise chain has run as far as it
 * can.
 *
 * Each turn is an immediate of its own: Node empties its queues of microtasks and ticks, whatever they add to
 * themselves, before it runs the next one. Nothing else tells reliably that all chains have ended: a chain may have any
 * number of steps. Immediates are requested in growing batches, since one per round of the event loop costs twice as
 * much. It does not wait for real I/O.
 *
 * @throws what `takeTurn` throws
 */
export function runUntilIdle(takeTurn: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    let left = 0;
    let batch = 1;
    let isOver = false;
    const ask = (): void => {
      left = batch;
      batch = Math.min(2 * batch, MAX_BATCH);
      for (let asked = 0; asked < left; asked++) inTurn(turn);
    };
    const turn = (): void => {
      if (isOver) return;
      try {
        isOver = !takeTurn();
      } catch (error) {
        isOver = true;
        return reject(error instanceof Error ? error : new Error(String(error)));
      }
      if (isOver) return resolve();
      if (--left === 0) ask();
    };
    ask();
  });
}
