// The end of an attempt believes the node that claimed it with more attempts: a run whose retries were ended for the
// next occurrence is tried again, beside it.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "a failed attempt is retried although its attempts were lowered while it ran";
/** It is wrong without any race, so a plain case finds it. */
export const isPlain = true;

const MOST = "CASE WHEN t.given & 1 = 0 THEN coalesce(r.max_attempts, t.max_attempts) ELSE t.max_attempts END";

export async function plant() {
  const { endAttempts, endAttemptsUnlocked } = await storeModule("statements/end/end-attempts.js");
  for (const statement of [endAttempts, endAttemptsUnlocked])
    rewrite(statement, { [` OR (r.charged AND t.attempt >= ${MOST})`]: "" });
}
