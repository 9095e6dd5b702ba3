import type { BeatAnswer, BootId, NodeVitals } from "@tickwheel/core";
import type { Statement } from "../../connection/session.js";

/**
 * Raises the beat by 1, found by boot id alone, and answers the revision of the settings as its snapshot has it. No
 * row: the others have declared this node dead. It is a HOT update of a small row.
 *
 * [lost-session] The first beat of a session takes the lock of the node, which a setting of the session notes: a second
 * take would only count up. Where another session of the node holds it still, the next beat tries again.
 */
export const raiseBeat: Statement<{ bootId: BootId; vitals: NodeVitals }, BeatAnswer> = {
  name: "raise_beat",
  sql: (schema) => `
    UPDATE ${schema}.heartbeat SET beat = beat + 1, vitals = $2::json WHERE boot_id = $1::bigint RETURNING beat::float8 AS beat,
      (SELECT concat_ws('.', r.timeline, r.number) FROM ${schema}.revision r WHERE r.name = 'settings') AS settings,
      CASE WHEN coalesce(current_setting('tickwheel.session', true), '') <> $1::text AND pg_try_advisory_lock($1::bigint)
           THEN set_config('tickwheel.session', $1::text, false) END AS taken`,
  values: ({ bootId, vitals }) => [bootId, JSON.stringify(vitals)],
  read: (row) => {
    const [timeline, number] = (row.settings as string).split(".").map(Number);
    return { beat: Number(row.beat), settings: { timeline: timeline!, number: number! } };
  },
};
