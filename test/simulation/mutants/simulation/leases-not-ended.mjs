// No node looks for leases that are over: a consumer that died keeps its task.
import { libraryModule, replaceMethod } from "../replacing.mjs";

export const says = "leases are not ended";
export const breaks = ["lease-ends-in-time"];

export async function plant() {
  const { LeaseKeeper } = await libraryModule("engine/pulling/lease-keeper.js");
  replaceMethod(LeaseKeeper, "runOnce", () => () => Promise.resolve());
}
