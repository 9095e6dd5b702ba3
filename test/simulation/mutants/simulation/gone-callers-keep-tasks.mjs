// What was pulled for callers that have gone meanwhile is not given back: it waits for the end of its lease.
import { libraryModule, replaceMethod } from "../replacing.mjs";

export const says = "callers that have gone keep their tasks";
export const breaks = ["unheard-pull-given-back"];

export async function plant() {
  const { ClaimService } = await libraryModule("engine/pulling/claim-service.js");
  replaceMethod(ClaimService, "giveBack", () => () => undefined);
}
