// The attempts that a handler says hold against those that the creator gave, an edit set or a schedule lowered.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "a handler's attempts overrule those that were given";
/** It is wrong without any race, so a plain case finds it. */
export const isPlain = true;

const MOST = "CASE WHEN t.given & 1 = 0 THEN coalesce(r.max_attempts, t.max_attempts) ELSE t.max_attempts END";
const HANDLERS = "coalesce(r.max_attempts, t.max_attempts)";

export async function plant() {
  const { endAttempts, endAttemptsUnlocked } = await storeModule("statements/end/end-attempts.js");
  for (const statement of [endAttempts, endAttemptsUnlocked])
    rewrite(statement, {
      [`${MOST} AS most`]: `${HANDLERS} AS most`,
      [`t.attempt >= ${MOST}`]: `t.attempt >= ${HANDLERS}`,
    });
}
