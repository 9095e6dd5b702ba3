import type { Session } from "../connection/session.js";
import { countUnordered } from "../statements/read/count-unordered.js";

/** A list of more types goes by id: each type costs a look into each day of history. */
export const MOST_TYPES = 100;

/** Whether a list of the namespace goes type by type, and so reads its own rows alone. */
export async function hasFewTypes(session: Session, namespace: string): Promise<boolean> {
  const nothing = { isWaiting: false, isLeaving: false, limit: 1 };
  const [tooMany] = await session.run(countUnordered, { namespace, type: null, mostTypes: MOST_TYPES, ...nothing });
  return tooMany === 0;
}
