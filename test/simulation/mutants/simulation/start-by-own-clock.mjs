// A start trusts the node's own idea of the database's time, and does not wait for its error.
import { libraryModule, replaceMethod } from "../replacing.mjs";

export const says = "a start trusts the node's own clock";
export const breaks = ["never-early"];

export async function plant() {
  const { DbClock } = await libraryModule("engine/runtime/db-clock.js");
  replaceMethod(DbClock, "errorMs", () => () => 0);
}
