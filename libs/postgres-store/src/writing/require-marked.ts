import { endedByHand, type HandlerWrite } from "@tickwheel/core";
import type { Session } from "../connection/session.js";
import { isStillMarked } from "../statements/end/mark-handler-session.js";

/**
 * For a write that found no execution of its own: whether its transaction is at fault.
 *
 * @throws TickwheelError `TRANSACTION_UNAVAILABLE`: the transaction that `beginWithin` has marked was ended by hand
 */
export async function requireMarked(session: Session, write: HandlerWrite): Promise<void> {
  if (!write.isBegun) return;
  const [isMarked] = await session.run(isStillMarked, write);
  if (isMarked) return;
  throw endedByHand();
}
