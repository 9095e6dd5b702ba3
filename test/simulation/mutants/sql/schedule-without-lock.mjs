// Two planners of one schedule read its row without locking it: both see that nothing is planned, and the second one
// plans from what was true before the first. The key of the chain refuses its occurrence, so it postpones the schedule.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "a planner does not lock its schedule";

export async function plant() {
  const { lockDueSchedules, lockNamedSchedule, lockSchedules } = await storeModule(
    "statements/schedules/lock-schedules.js",
  );
  rewrite(lockDueSchedules, { "LIMIT $2 FOR UPDATE OF s SKIP LOCKED": "LIMIT $2" });
  rewrite(lockNamedSchedule, { " FOR UPDATE OF s": "" });
  rewrite(lockSchedules, { " FOR UPDATE OF s": "" });
}
