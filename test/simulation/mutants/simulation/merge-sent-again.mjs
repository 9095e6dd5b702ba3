// A merge that got no answer is sent again: where the first one was written and its reply was lost, its sum counts
// twice.
import { TickwheelError } from "@tickwheel/core";
import { libraryModule, replaceMethod } from "../replacing.mjs";

export const says = "a merge without an answer is sent again";
export const breaks = ["merge-kept-once"];

export async function plant() {
  const { SharedKeyWrites } = await libraryModule("engine/requests/shared-key-writes.js");
  replaceMethod(
    SharedKeyWrites,
    "add",
    (add) =>
      async function (request, task) {
        try {
          return await add.call(this, request, task);
        } catch (error) {
          if (!(error instanceof TickwheelError) || error.code !== "STORE_UNAVAILABLE") throw error;
          return add.call(this, request, task);
        }
      },
  );
}
