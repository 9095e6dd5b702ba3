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

/** Each holder by itself: each has its own end. */
export function snapshotCauses({ heldSnapshots }: Pick<FindingScene, "heldSnapshots">): Cause[] {
  return heldSnapshots.map(({ since, horizon: _ofPostgres, ...facts }) =>
    causeOf(
      "SNAPSHOT_HELD",
      { ...facts, since: new Date(since).toISOString() },
      { subject: `${facts.kind} ${facts.name}` },
    ),
  );
}

function codeOf({ server, standbys }: UnsafeSetting): FindingCode {
  if (server === "redis") return "REDIS_EVICTS";
  return standbys === undefined ? "COMMITS_UNSAFE" : "STANDBYS_ASYNCHRONOUS";
}
