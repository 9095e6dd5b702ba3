import type { HistoryBucket } from "../src/api/wire.js";

/** A bucket of the history in which nothing happened, but for what is given. */
export function historyBucket(given: Pick<HistoryBucket, "at"> & Partial<HistoryBucket>): HistoryBucket {
  return {
    created: 0,
    started: 0,
    succeeded: 0,
    skipped: 0,
    failed: 0,
    dead: 0,
    latenessMs: null,
    places: 0,
    latenessPartsMs: { known: 0, wheel: 0, place: 0, claim: 0, start: 0 },
    ...given,
  };
}
