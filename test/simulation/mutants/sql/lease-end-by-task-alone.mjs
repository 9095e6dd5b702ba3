// The end of leases locks tasks and not their leases: a lease that was extended since the statement began ends all the
// same.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "the end of a lease locks its task alone";

export async function plant() {
  const { endLeases } = await storeModule("statements/pull/end-leases.js");
  rewrite(endLeases, { "FOR UPDATE SKIP LOCKED ), found AS": "), found AS" });
}
