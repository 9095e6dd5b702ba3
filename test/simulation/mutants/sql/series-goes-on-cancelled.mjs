// A task of a series makes the next one although somebody has asked to cancel its key: the cancel ends nothing.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "a series goes on behind the cancel of its key";

export async function plant() {
  const { lockSeries } = await storeModule("statements/create/lock-series.js");
  rewrite(lockSeries, { " AND t.cancel_requested_at IS NULL": "" });
}
