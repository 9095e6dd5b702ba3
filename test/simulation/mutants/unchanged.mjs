// No mutant: it takes the same path as all of them, and changes nothing. A fault that its run finds is not due to a
// mutant.
import { replaceFunction, replaceMethod } from "./replacing.mjs";

export const says = "everything as it is";

export async function plant() {
  replaceFunction("testing/statements/row-transitions.js", "claimedRow", (claimedRow) => claimedRow);
  replaceFunction("engine/recovery/in-doubt.js", "inDoubt", (inDoubt) => inDoubt);
  const { MemoryTaskStore } = await import("@tickwheel/testing");
  replaceMethod(MemoryTaskStore, "claim", (claim) => claim);
}
