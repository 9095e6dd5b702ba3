// A claim within limits cuts its ids to the places before it locks them: an id that is gone or locked leaves its place
// empty.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "a claim within limits cuts its ids before it locks them";

export async function plant() {
  const { claimLimited } = await storeModule("statements/claim/claim-limited.js");
  const most = "LIMIT (SELECT least(places, $9::integer) FROM room)";
  rewrite(claimLimited, {
    [`ORDER BY r.place ${most}`]: "ORDER BY r.place",
    "WITH ORDINALITY AS r (id, place) LIMIT cardinality($3::uuid[])": `WITH ORDINALITY AS r (id, place) ${most}`,
  });
}
