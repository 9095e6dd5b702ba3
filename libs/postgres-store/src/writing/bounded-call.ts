import { type Clock, SystemClock, TickwheelError } from "@tickwheel/core";
import type { Session } from "../connection/session.js";

/** The transaction of one call takes at most as long as this many statements may. */
const MOST_STATEMENT_TIMEOUTS = 5;

export interface CallBounds {
  /** Fires when nobody waits for the answer any more. */
  signal?: AbortSignal;
  /** How long one statement may take, in milliseconds. */
  statementTimeoutMs: number;
  clock?: Pick<Clock, "monotonicMs">;
}

/**
 * A session for the transaction of one call, that no call keeps for long: it refuses the next statement once the call
 * has used the time of five statements, or once its caller has gone. The transaction is rolled back then.
 *
 * @throws TickwheelError `STORE_UNAVAILABLE` of a statement that is refused: nothing was changed
 */
export function boundedSession(session: Session, bounds: CallBounds): Session {
  const { signal, statementTimeoutMs, clock = new SystemClock() } = bounds;
  const mostMs = statementTimeoutMs * MOST_STATEMENT_TIMEOUTS;
  const endMonoMs = clock.monotonicMs() + mostMs;
  return {
    run: async (statement, parameters) => {
      requireCaller(signal);
      if (clock.monotonicMs() > endMonoMs) throw tookTooLong(mostMs);
      return session.run(statement, parameters);
    },
  };
}

/** @throws TickwheelError `STORE_UNAVAILABLE` when nobody waits for the answer any more */
export function requireCaller(signal: AbortSignal | undefined): void {
  if (signal?.aborted)
    throw new TickwheelError("STORE_UNAVAILABLE", "The caller did not wait for the answer: nothing was changed");
}

function tookTooLong(mostMs: number): TickwheelError {
  return new TickwheelError(
    "STORE_UNAVAILABLE",
    `The call has taken longer than ${mostMs} ms, which would hold up others: nothing was changed. Send fewer tasks at once`,
  );
}
