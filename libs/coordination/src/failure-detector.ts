import type { BootId, NodeBeat } from "@tickwheel/core";

/**
 * Who is alive, by one observer's readings of everybody's beats. Pure: a state, a function that adds a poll, and verdicts.
 *
 * An age is how long a beat has stood still while we were looking:
 * - a poll adds at most {@link MAX_POLL_STEP_MS}, so an observer that was paused ages nobody;
 * - a poll adds nothing while Postgres did not answer, and then everybody who is not suspect yet starts afresh: nobody could beat;
 * - without a reading of Postgres an age stays below suspicion: a medium that lost its keys accuses nobody.
 */
export interface Detector {
  readonly sightings: ReadonlyMap<BootId, Sighting>;
}
export interface Sighting extends NodeBeat {
  /** How long the beat has not moved. */
  readonly ageMs: number;
}

export interface DetectorOptions {
  heartbeatIntervalMs: number;
  suspectAfterBeats: number;
  deadAfterBeats: number;
}

/** One look at the beats. */
export interface Poll {
  /** From the medium (Redis); null where it has none or did not answer. */
  medium: readonly NodeBeat[] | null;
  /** From Postgres; null where it was not asked. `unavailable`: it did not answer, or takes no beats of ours. */
  store: readonly NodeBeat[] | "unavailable" | null;
  /** Since the poll before. */
  sinceLastMs: number;
}

export const MAX_POLL_STEP_MS = 500;

export const NOBODY_SEEN: Detector = { sightings: new Map() };

/** Whether Postgres must be asked in this poll: the medium has nothing, or somebody's beat has stood still in it for too long. */
export function needsStore(detector: Detector, medium: readonly NodeBeat[] | null, options: DetectorOptions): boolean {
  if (medium === null || detector.sightings.size === 0) return true;
  const beats = new Map(medium.map((beat) => [beat.bootId, beat.beat]));
  const limitMs = unconfirmedLimitMs(options) - options.heartbeatIntervalMs / 2;
  for (const { bootId, beat, ageMs } of detector.sightings.values()) {
    if (ageMs >= limitMs && (beats.get(bootId) ?? beat) <= beat) return true;
  }
  return false;
}

/** The detector after one more poll. */
export function observe(detector: Detector, poll: Poll, options: DetectorOptions): Detector {
  if (poll.store === "unavailable") return { sightings: afterOutage(detector, options) };
  const stepMs = Math.min(Math.max(poll.sinceLastMs, 0), MAX_POLL_STEP_MS);
  const newest = newestBeats(detector, poll);
  const sightings = new Map<BootId, Sighting>();
  for (const [bootId, beat] of newest) {
    const before = detector.sightings.get(bootId);
    const ageMs = before === undefined || beat.beat > before.beat ? 0 : before.ageMs + stepMs;
    sightings.set(bootId, { ...beat, ageMs: poll.store === null ? unconfirmed(ageMs, before, options) : ageMs });
  }
  return { sightings };
}

/** Nodes whose beat has stood still for `suspectAfterBeats` intervals: they leave the view, no more. */
export function suspectsOf(detector: Detector, options: DetectorOptions): Set<BootId> {
  return olderThan(detector, options.suspectAfterBeats * options.heartbeatIntervalMs);
}

/** Nodes whose beat has stood still for `deadAfterBeats` intervals: a leader may declare them dead. */
export function deadOf(detector: Detector, options: DetectorOptions): Set<BootId> {
  return olderThan(detector, options.deadAfterBeats * options.heartbeatIntervalMs);
}

/** Nodes that ask to be left out of the next view. */
export function leavingOf(detector: Detector): Set<BootId> {
  return new Set([...detector.sightings.values()].filter((seen) => seen.vitals.leaving).map((seen) => seen.bootId));
}

/** Without Postgres an age ends here, one beat below suspicion. */
function unconfirmedLimitMs(options: DetectorOptions): number {
  return Math.max(0, options.suspectAfterBeats - 1) * options.heartbeatIntervalMs;
}

function unconfirmed(ageMs: number, before: Sighting | undefined, options: DetectorOptions): number {
  return Math.min(ageMs, Math.max(unconfirmedLimitMs(options), before?.ageMs ?? 0));
}

/** The newest beat of everybody: of those whom Postgres knows, where it was asked; else also of those seen before. */
function newestBeats(detector: Detector, poll: Poll): Map<BootId, NodeBeat> {
  const newest = new Map<BootId, NodeBeat>();
  const store = poll.store === "unavailable" ? null : poll.store;
  const inStore = store === null ? null : new Set(store.map((beat) => beat.bootId));
  const readings: NodeBeat[] = [...detector.sightings.values(), ...(store ?? []), ...(poll.medium ?? [])];
  for (const { bootId, label, beat, vitals } of readings) {
    if (inStore !== null && !inStore.has(bootId)) continue;
    const known = newest.get(bootId);
    if (known === undefined || beat >= known.beat) newest.set(bootId, { bootId, label, beat, vitals });
  }
  return newest;
}

function afterOutage(detector: Detector, options: DetectorOptions): Map<BootId, Sighting> {
  const suspectMs = options.suspectAfterBeats * options.heartbeatIntervalMs;
  const fresh = (seen: Sighting): Sighting => (seen.ageMs >= suspectMs ? seen : { ...seen, ageMs: 0 });
  return new Map([...detector.sightings].map(([bootId, seen]) => [bootId, fresh(seen)]));
}

function olderThan(detector: Detector, limitMs: number): Set<BootId> {
  return new Set([...detector.sightings.values()].filter((seen) => seen.ageMs >= limitMs).map((seen) => seen.bootId));
}
