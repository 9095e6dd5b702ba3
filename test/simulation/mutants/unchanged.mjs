// No mutant: goes the way of all of them, and leaves everything as it is. What is found in its run is no mutant's
// doing.
import { replaceFunction, replaceMethod } from "./replacing.mjs";

export const says = "everything as it is";

export async function plant() {
  replaceFunction("testing/statements/row-transitions.js", "claimedRow", (claimedRow) => claimedRow);
  replaceFunction("engine/recovery/in-doubt.js", "inDoubt", (inDoubt) => inDoubt);
  const { MemoryTaskStore } = await import("@tickwheel/testing");
  replaceMethod(MemoryTaskStore, "claim", (claim) => claim);
}
