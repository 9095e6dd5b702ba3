import {
  type EpochMs,
  type LatenessPartsMs,
  MAX_TALLY_ERROR,
  noLateness,
  type Tally,
  type TypeId,
} from "@tickwheel/core";
import { LATENESS_BUCKETS, latenessBoundMs, latenessBucket } from "./lateness-buckets.js";
import { NodeMeters } from "./node-meters.js";
import { OutcomeCounts } from "./outcome-counts.js";
import type { TypeTotal } from "./type-totals.js";

/** A task, as far as it is counted. */
interface CountedTask {
  typeId: TypeId;
  dueAt: EpochMs;
  createdAt: EpochMs;
}

/** At most this many doubted minutes are remembered; an outage of an hour has no more. */
const MAX_DOUBTS = 120;
const MINUTE_MS = 60_000;

/** What happened to one type since the last take. */
class TypeTally extends OutcomeCounts {
  started = 0;
  latestMs = -1;
  placeMs = 0;
  lastError: string | null = null;
  readonly parts = noLateness();
  readonly buckets = new Uint32Array(LATENESS_BUCKETS);
}

/**
 * What this node did, counted by type: additions to numbers, nothing for each task. One kilobyte for each type that
 * something happened to since the last {@link take}; a type that was idle is forgotten with it.
 *
 * All nodes sum up the counts of finished tasks for as long as these are kept, so a write whose result is unknown is
 * recorded as a doubt.
 */
export class Tallies {
  private byType = new Map<TypeId, TypeTally>();
  private doubted = new Set<EpochMs>();

  /** @param meters what is counted for as long as the node lives: each take adds to it */
  constructor(private readonly meters = new NodeMeters()) {}

  created(typeId: TypeId): void {
    this.of(typeId).created++;
  }

  started(task: CountedTask, startedAt: EpochMs, parts: LatenessPartsMs): void {
    const tally = this.of(task.typeId);
    const latenessMs = Math.max(0, startedAt - Math.max(task.dueAt, task.createdAt));
    tally.started++;
    if (latenessMs > 0) {
      addParts(tally.parts, parts);
      this.meters.late(parts);
    }
    tally.buckets[latenessBucket(latenessMs)]!++;
    if (latenessMs > tally.latestMs) tally.latestMs = latenessMs;
  }

  /** A handler of the type has returned after so long. For `/metrics` alone: no row is written for it. */
  ran(typeId: TypeId, runMs: number): void {
    this.meters.types.of(typeId).runs.record(runMs);
  }

  failed(typeId: TypeId, isLast: boolean, error: string | null): void {
    const tally = this.of(typeId);
    tally.failed++;
    if (error !== null) tally.lastError = error;
    if (isLast) tally.dead++;
  }

  succeeded(typeId: TypeId): void {
    this.of(typeId).succeeded++;
  }

  /** It has succeeded, too. */
  skipped(typeId: TypeId): void {
    const tally = this.of(typeId);
    tally.succeeded++;
    tally.skipped++;
  }

  /** By the statement that moves it to history; what waits for the archive is counted there. */
  cancelled(typeId: TypeId): void {
    this.of(typeId).cancelled++;
  }

  /** Handlers of the type held places for so long, all added up. */
  held(typeId: TypeId, placeMs: number): void {
    this.of(typeId).placeMs += placeMs;
  }

  /** An end was refused as stale: perhaps it was written, and its reply was lost. */
  doubt(sentAt: EpochMs, now: EpochMs): void {
    const last = Math.floor(now / MINUTE_MS) * MINUTE_MS;
    const first = Math.max(Math.floor(sentAt / MINUTE_MS) * MINUTE_MS, last - MINUTE_MS);
    for (let minute = first; minute <= last && this.doubted.size < MAX_DOUBTS; minute += MINUTE_MS)
      this.doubted.add(minute);
  }

  /** All since the last take. */
  take(now: EpochMs): { tallies: Tally[]; doubts: EpochMs[] } {
    const at = Math.floor(now / 1_000) * 1_000;
    for (const [typeId, tally] of this.byType) addTo(this.meters.types.of(typeId), tally);
    const taken = {
      tallies: [...this.byType].map(([typeId, tally]) => tallyOf(typeId, tally, at)),
      doubts: [...this.doubted],
    };
    this.byType = new Map();
    this.doubted = new Set();
    return taken;
  }

  private of(typeId: TypeId): TypeTally {
    let tally = this.byType.get(typeId);
    if (tally === undefined) this.byType.set(typeId, (tally = new TypeTally()));
    return tally;
  }
}

/** Field by field: there are thousands a second. */
function addParts(sum: LatenessPartsMs, parts: LatenessPartsMs): void {
  sum.known += parts.known;
  sum.wheel += parts.wheel;
  sum.place += parts.place;
  sum.claim += parts.claim;
  sum.start += parts.start;
}

/** The lateness of all starts together is that of its parts. */
function addTo(total: TypeTotal, tally: TypeTally): void {
  total.addOutcomes(tally);
  tally.buckets.forEach((count, bucket) => {
    if (count > 0) total.lateness.addCount(latenessBoundMs(bucket), count);
  });
  const { known, wheel, place, claim, start } = tally.parts;
  total.lateness.addSum(known + wheel + place + claim + start);
}

function tallyOf(typeId: TypeId, tally: TypeTally, at: EpochMs): Tally {
  const { created, started, failed, dead, succeeded, skipped, cancelled } = tally;
  const { buckets, parts, latestMs, placeMs, lastError } = tally;
  const filled = [...buckets.keys()].filter((bucket) => buckets[bucket]! > 0);
  return {
    ...{ at, typeId, created, started, failed, dead, succeeded, skipped, cancelled },
    latestMs: latestMs < 0 ? null : Math.ceil(latestMs),
    latenessMs: filled.map(latenessBoundMs),
    latenessCounts: filled.map((bucket) => buckets[bucket]!),
    latenessPartsMs: parts,
    placeMs: Math.round(placeMs),
    lastError: lastError === null ? null : firstLine(lastError),
  };
}

/** The first half of a pair of surrogates whose other half was cut off. */
const HALF_PAIR = /[\ud800-\udbff]$/;

/** The first line of an error: what it is, without its stack. */
function firstLine(error: string): string {
  const [line] = error.slice(0, 4 * MAX_TALLY_ERROR).split("\n", 1);
  return line!.length <= MAX_TALLY_ERROR ? line! : `${line!.slice(0, MAX_TALLY_ERROR - 1).replace(HALF_PAIR, "")}…`;
}
