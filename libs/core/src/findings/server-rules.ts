import type { Cause, FindingCode } from "../reports/finding.js";
import type { UnsafeSetting } from "../reports/unsafe-settings.js";
import { causeOf } from "./cause.js";
import type { FindingScene } from "./finding-scene.js";

/** Settings of Postgres and Redis that take a promise away, each by itself. */
export function serverCauses({ unsafeSettings }: Pick<FindingScene, "unsafeSettings">): Cause[] {
  return unsafeSettings.map((unsafe) => {
    const { name, value, standbys = 0 } = unsafe;
    return causeOf(codeOf(unsafe), { setting: name, value, standbys }, { subject: name });
  });
}

function codeOf({ server, standbys }: UnsafeSetting): FindingCode {
  if (server === "redis") return "REDIS_EVICTS";
  return standbys === undefined ? "COMMITS_UNSAFE" : "STANDBYS_ASYNCHRONOUS";
}
