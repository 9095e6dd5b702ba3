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
/** The estimate of the store's clock is no further from it than this. */
const CLOCK_ERROR_MS = 1_000;

/** What happened to one type since the last take. */
class TypeTally extends OutcomeCounts {
  started = 0;
  latestMs = -1;
  placeMs = 0;
  lastError: string | null = null;
  readonly parts = noLateness();
  readonly buckets = new Uint32Array(LATENESS_BUCKETS);
}

/** What ended within one minute, by type. */
interface MinuteEnds {
  minute: EpochMs;
  lastAt: EpochMs;
  byType: Map<TypeId, TypeTally>;
}

/**
 * What this node did, counted by type: additions to numbers, nothing for each task. One kilobyte for each type that
 * something happened to since the last {@link take}; a type that was idle is forgotten with it.
 *
 * All nodes sum up the counts of finished tasks for as long as these are kept. An end counts for the minute that its
 * row tells, however late its reply comes, since a minute in doubt is counted from the rows. A write whose result is
 * unknown is recorded as a doubt.
 */
export class Tallies {
  private byType = new Map<TypeId, TypeTally>();
  /** The newest first. */
  private ends: MinuteEnds[] = [];
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

  /** `finishedAt`: as the row says it. */
  succeeded(typeId: TypeId, finishedAt: EpochMs): void {
    this.ended(typeId, finishedAt).succeeded++;
  }

  /** It has succeeded, too. */
  skipped(typeId: TypeId, finishedAt: EpochMs): void {
    const tally = this.ended(typeId, finishedAt);
    tally.succeeded++;
    tally.skipped++;
  }

  /** By the statement that moves it to history; what waits for the archive is counted there. */
  cancelled(typeId: TypeId, finishedAt: EpochMs): void {
    this.ended(typeId, finishedAt).cancelled++;
  }

  /** Handlers of the type held places for so long, all added up. */
  held(typeId: TypeId, placeMs: number): void {
    this.of(typeId).placeMs += placeMs;
  }

  /** A write was refused as stale, or has no reply: perhaps it was written, at some time since it was sent first. */
  doubt(sentAt: EpochMs, now: EpochMs): void {
    const first = minuteOf(sentAt - CLOCK_ERROR_MS);
    for (let minute = minuteOf(now + CLOCK_ERROR_MS); minute >= first; minute -= MINUTE_MS) {
      if (this.doubted.size >= MAX_DOUBTS) return;
      this.doubted.add(minute);
    }
  }

  /** All since the last take. */
  take(now: EpochMs): { tallies: Tally[]; doubts: EpochMs[] } {
    const minute = minuteOf(now);
    const { ends, byType, doubted } = this;
    const current = ends.find((one) => one.minute === minute);
    for (const [typeId, tally] of current?.byType ?? []) this.of(typeId).addOutcomes(tally);
    const told = [{ lastAt: now, byType }, ...ends.filter((one) => one !== current)];
    for (const [typeId, tally] of told.flatMap((one) => [...one.byType])) addTo(this.meters.types.of(typeId), tally);
    this.byType = new Map();
    this.ends = [];
    this.doubted = new Set();
    const tallies = told.flatMap((one) =>
      [...one.byType].map(([typeId, tally]) => tallyOf(typeId, tally, Math.floor(one.lastAt / 1_000) * 1_000)),
    );
    return { tallies, doubts: [...doubted] };
  }

  private ended(typeId: TypeId, at: EpochMs): TypeTally {
    const minute = minuteOf(at);
    let ends = this.ends.find((one) => one.minute === minute);
    if (ends === undefined) this.ends.unshift((ends = { minute, lastAt: at, byType: new Map() }));
    if (at > ends.lastAt) ends.lastAt = at;
    return tallyIn(ends.byType, typeId);
  }

  private of(typeId: TypeId): TypeTally {
    return tallyIn(this.byType, typeId);
  }
}

function tallyIn(byType: Map<TypeId, TypeTally>, typeId: TypeId): TypeTally {
  let tally = byType.get(typeId);
  if (tally === undefined) byType.set(typeId, (tally = new TypeTally()));
  return tally;
}

function minuteOf(at: EpochMs): EpochMs {
  return Math.floor(at / MINUTE_MS) * MINUTE_MS;
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
    at,
    typeId,
    created,
    started,
    failed,
    dead,
    succeeded,
    skipped,
    cancelled,
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
