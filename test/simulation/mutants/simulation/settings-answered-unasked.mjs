// A change of the settings is answered at its commit: nobody asks the nodes whether they obey it.
import { libraryModule, replaceMethod } from "../replacing.mjs";

export const says = "a pause is answered before the nodes obey it";
export const breaks = ["pause-obeyed"];

export async function plant() {
  const { SettingService } = await libraryModule("engine/types/setting-service.js");
  replaceMethod(SettingService, "nodesBehind", () => async () => []);
}
