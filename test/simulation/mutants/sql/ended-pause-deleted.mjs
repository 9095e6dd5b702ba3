// The end of a key's pause deletes its row: what the pause holds is never resumed.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "the end of a key's pause deletes its row";

export async function plant() {
  const { endPause } = await storeModule("statements/settings/write-pause.js");
  rewrite(endPause, { "WHERE key IS NULL": "WHERE true", "WHERE key IS NOT NULL": "WHERE false" });
}
