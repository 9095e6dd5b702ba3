// A merge that had to wait for another transaction in the slow lane is written twice, so its sum counts twice.
import { libraryModule, replaceMethod } from "../replacing.mjs";

export const says = "a merge that had to wait is written twice";
export const breaks = ["merge-kept-once"];

export async function plant() {
  const { CallSession } = await libraryModule("testing/database/memory-connection.js");
  replaceMethod(
    CallSession,
    "inRounds",
    (inRounds) =>
      async function (...given) {
        const reply = await inRounds.apply(this, given);
        if (reply?.results?.some(({ outcome }) => outcome === "merged")) await inRounds.apply(this, given);
        return reply;
      },
  );
}
