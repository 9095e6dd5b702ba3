// A leader extends its lock in Redis though its beat of the term was not written: cut off from Postgres it keeps the
// candidates away.
import { replaceFunction } from "../replacing.mjs";

export const says = "a leader extends its redlock without having written the term";
export const breaks = ["leader-followed"];

export function plant() {
  replaceFunction("coordination/leader/term-keeping.js", "afterKeeping", (afterKeeping) => (written) => {
    return written.ok ? afterKeeping(written) : "extend_lock";
  });
}
