// A claim within limits does not write down who holds places from now on: the next one finds all of them free.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "a claim within limits does not name the tasks that take places";

export async function plant() {
  const { claimLimited } = await storeModule("statements/claim/claim-limited.js");
  rewrite(claimLimited, { "AND EXISTS (SELECT FROM claimed)": "AND false" });
}
