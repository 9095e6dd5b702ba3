// Every suspect that asks enters the quarantine, even while another suspect is in it.
import { replaceFunction } from "../replacing.mjs";

export const says = "the quarantine lets every suspect in at once";
export const breaks = ["one-suspect-at-a-time"];

export function plant() {
  replaceFunction("testing/statements/quarantine-statements.js", "enterQuarantine", (enter) => async (session, ref) => {
    await enter(session, ref);
    return { entered: true };
  });
}
