// A look by id asks once for the tasks of a lost claim. The network delivers some claims only behind that look.
import { libraryModule, replaceMethod } from "../replacing.mjs";

export const says = "a look by id asks once for the tasks of a lost claim";
export const breaks = ["in-doubt-released"];

export async function plant() {
  const { Reconciler } = await libraryModule("engine/recovery/reconciler.js");
  replaceMethod(
    Reconciler,
    "idsToAskFor",
    () =>
      function (unfinished) {
        return [...unfinished.map(({ task }) => task.id), ...this.parts.executions.inDoubt()];
      },
  );
}
