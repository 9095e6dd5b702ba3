// A node says that it obeys settings as soon as it has read them, and starts what it had claimed before.
import { libraryModule, replaceMethod } from "../replacing.mjs";

export const says = "a node that has read a pause starts what it had claimed";
export const breaks = ["pause-obeyed"];

export async function plant() {
  const { Engine } = await libraryModule("engine/node/engine.js");
  const { Dispatcher } = await libraryModule("engine/running/dispatcher.js");
  replaceMethod(Engine, "obey", () => async () => {});
  replaceMethod(Dispatcher, "mayRun", () => () => true);
}
