// On a new view a node drops what others own from now on at its first load, before they have loaded it.
import { replaceFunction } from "../replacing.mjs";

export const says = "entries are dropped at once on a new view";
export const breaks = ["wheel-finds-what-was-known"];

export function plant() {
  replaceFunction("engine/finding/foreign-entries.js", "atLoad", (atLoad) => (loaded, input) => {
    const next = atLoad(loaded, input);
    return { loaded: { ...next.loaded, holdsForeign: false }, dropsForeign: next.loaded.holdsForeign };
  });
}
