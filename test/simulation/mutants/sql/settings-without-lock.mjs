// A change of the settings takes its number from a sequence and locks nothing: a number may be committed after a later
// one, and who obeys the later one never reads the earlier change.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "revisions come from a sequence, without a lock";

export async function plant() {
  const { lockRevision, raiseRevision } = await storeModule("statements/settings/lock-revision.js");
  rewrite(lockRevision, { "FOR NO KEY UPDATE": "" });
  raiseRevision.sql = (schema) => `
    WITH next AS (SELECT nextval('${schema}.pause_id_seq') AS number WHERE $1::integer > 0)
    SELECT r.timeline, next.number::float8 AS number FROM next, ${schema}.revision r WHERE r.name = 'settings'`;
}
