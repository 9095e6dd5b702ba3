// Types that only so many tasks may run of are claimed like any other: the places are looked at by nobody.
import { libraryModule, replaceMethod } from "../replacing.mjs";

export const says = "a claim of a limited type asks no limit";
export const breaks = ["limit-kept"];

export async function plant() {
  const { FlowLimits } = await libraryModule("engine/limits/flow-limits.js");
  replaceMethod(FlowLimits, "isCounted", () => () => false);
}
