// A claim within limits locks them and looks at their places in one statement: its snapshot is older than the wait for
// the claim before it, so it believes that claim's places to be free.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "places are looked at in the statement that locks the limits";

export async function plant() {
  const { lockLimits } = await storeModule("statements/claim/lock-limits.js");
  const { claimLimited } = await storeModule("statements/claim/claim-limited.js");
  rewrite(lockLimits, { "FOR UPDATE OF l SKIP LOCKED": "" });
  rewrite(claimLimited, {
    "SELECT boot_id FROM @node WHERE boot_id = $2::bigint AND state = 'live' FOR KEY SHARE":
      "SELECT n.boot_id FROM @node n CROSS JOIN @flow_limit m WHERE n.boot_id = $2::bigint AND n.state = 'live' AND m.id = ANY ($8::integer[]) FOR KEY SHARE OF n FOR UPDATE OF m",
    "FROM @flow_limit l LEFT JOIN LATERAL":
      "FROM (SELECT count(*) FROM me) locked CROSS JOIN @flow_limit l LEFT JOIN LATERAL",
  });
}
