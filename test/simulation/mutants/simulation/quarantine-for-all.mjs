// Whoever asks enters the quarantine, also while another suspect is in there.
import { replaceFunction } from "../replacing.mjs";

export const says = "a quarantine that lets everybody in";
export const breaks = ["one-suspect-at-a-time"];

export function plant() {
  replaceFunction("testing/statements/quarantine-statements.js", "enterQuarantine", (enter) => async (session, ref) => {
    await enter(session, ref);
    return { entered: true };
  });
}
