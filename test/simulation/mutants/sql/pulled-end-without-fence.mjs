// What a consumer tells of a task counts whatever its fence is: one whose lease has ended ends the next one's
// execution.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "the ends of pulled tasks leave the fence out";

const guard = "t.owner = r.owner AND t.fence = r.fence";

export async function plant() {
  const completions = await storeModule("statements/end/complete-tasks.js");
  const departures = await storeModule("statements/end/end-attempts.js");
  for (const statement of [completions.completePulled, departures.endPulled])
    rewrite(statement, { [guard]: "t.owner = r.owner" });
}
