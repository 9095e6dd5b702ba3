// What runs when a limit is set takes none of its places: neither its node nor the change adds it.
import { libraryModule, replaceMethod } from "../replacing.mjs";

export const says = "a new limit does not count what runs already";
export const breaks = ["limit-kept"];

export async function plant() {
  const { FlowLimits } = await libraryModule("engine/limits/flow-limits.js");
  const { SettingService } = await libraryModule("engine/types/setting-service.js");
  replaceMethod(FlowLimits, "adopt", () => async () => {});
  replaceMethod(SettingService, "adoptRunning", () => async () => {});
}
