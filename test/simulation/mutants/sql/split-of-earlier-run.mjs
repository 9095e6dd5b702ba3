// The end of a task tells the start of its last run, whichever it was: a claim that was given back seems to have run.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "an end tells the start of an earlier run";

export async function plant() {
  const { readJournal } = await storeModule("statements/read/read-journal.js");
  rewrite(readJournal, { " AND r.started_at >= r.claimed_at - interval '5 milliseconds'": "" });
}
