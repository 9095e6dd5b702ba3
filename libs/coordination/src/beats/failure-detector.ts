import type { BootId, NodeBeat } from "@tickwheel/core";

/**
 * Who is alive, by one observer's readings of everybody's beats [still-observer]. Pure: a state, a function that adds a
 * poll, and verdicts.
 *
 * An age is how long a beat has stood still while we were looking:
 * - a poll adds at most {@link MAX_POLL_STEP_MS}, so a pause of the observer makes nobody look old;
 * - a poll adds nothing while Postgres did not answer; and while it takes no beats of ours, everybody who is not
 *   suspect yet starts afresh: nobody could beat;
 * - without a reading of Postgres an age stays below suspicion: a medium that lost its keys accuses nobody;
 * - where Postgres was asked, only what it says makes anybody younger: a beat that has reached the medium alone may
 *   have been on its way for long, and nobody may work whose beats do not get into Postgres;
 * - a beat that Postgres shows to have gone back has moved: a promoted standby has forgotten some.
 */
export interface Detector {
  readonly sightings: ReadonlyMap<BootId, Sighting>;
  /** Since the last reading of Postgres. */
  readonly storeAgeMs: number;
}
export interface Sighting extends NodeBeat {
  /** How long the beat has not moved. */
  readonly ageMs: number;
  /** How long what Postgres says has not moved. */
  readonly storeBeatAgeMs: number;
  /** What Postgres said last; null: it has not been asked since this node was seen. */
  readonly storeBeat: number | null;
  /** Whether it signs webhooks, by what Postgres said last. */
  readonly signsWebhooks: boolean;
  /** What the medium said last; null: it has never named this node. */
  readonly mediumBeat: number | null;
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
  /** From Postgres; null where it was not asked. `failed`: it did not answer; `unfit`: it takes no beats of ours. */
  store: readonly NodeBeat[] | "failed" | "unfit" | null;
  /** Since the poll before. */
  sinceLastMs: number;
}

export const MAX_POLL_STEP_MS = 500;

export const NOBODY_SEEN: Detector = { sightings: new Map(), storeAgeMs: Infinity };

/**
 * Whether Postgres must be asked in this poll: the medium has nothing, or somebody's beat had stood still for too long,
 * or no poll is nearer to an interval since: a node that never got into the medium is known to Postgres alone, and so
 * is a last beat that did not get there, whose age begins when it is read.
 */
export function needsStore(
  detector: Detector,
  { medium, sinceLastMs }: Omit<Poll, "store">,
  options: DetectorOptions,
): boolean {
  if (medium === null || detector.storeAgeMs + 1.5 * sinceLastMs >= options.heartbeatIntervalMs) return true;
  const limitMs = unconfirmedLimitMs(options) - options.heartbeatIntervalMs / 2;
  return [...detector.sightings.values()].some(({ ageMs }) => ageMs >= limitMs);
}

/** The detector after one more poll. */
export function observe(detector: Detector, poll: Poll, options: DetectorOptions): Detector {
  const storeAgeMs = detector.storeAgeMs + poll.sinceLastMs;
  if (poll.store === "failed") return { sightings: detector.sightings, storeAgeMs };
  if (poll.store === "unfit") return { sightings: afterOutage(detector, options), storeAgeMs };
  const stepMs = Math.min(Math.max(poll.sinceLastMs, 0), MAX_POLL_STEP_MS);
  const sightings = new Map<BootId, Sighting>();
  for (const reading of readingsOf(detector, poll)) {
    const { bootId } = reading;
    const before = detector.sightings.get(bootId);
    const storeBeatAgeMs = ageInStore(reading, before, { stepMs, storeAgeMs });
    const ageMs = before === undefined || reading.beat > before.beat ? 0 : before.ageMs + stepMs;
    const knownAgeMs = poll.store === null ? unconfirmed(ageMs, before, options) : storeBeatAgeMs;
    sightings.set(bootId, { ...reading, ageMs: knownAgeMs, storeBeatAgeMs });
  }
  return { sightings, storeAgeMs: poll.store === null ? storeAgeMs : 0 };
}

/** Nodes whose beat has stood still for `suspectAfterBeats` intervals: they leave the view, no more. */
export function suspectsOf(detector: Detector, options: DetectorOptions): Set<BootId> {
  return olderThan(detector, options.suspectAfterBeats * options.heartbeatIntervalMs);
}

/** Nodes whose beat has stood still for `deadAfterBeats` intervals: a leader may declare them dead. */
export function deadOf(detector: Detector, options: DetectorOptions): Set<BootId> {
  return olderThan(detector, options.deadAfterBeats * options.heartbeatIntervalMs);
}

/**
 * Whether an observer may judge: its own beats get through. One whose beats do not is cut off itself, or Postgres takes
 * nobody's beats. A beat earlier than others may be suspected.
 */
export function isFit(ownBeatAgeMs: number, options: DetectorOptions): boolean {
  return ownBeatAgeMs < options.heartbeatIntervalMs * (options.suspectAfterBeats - 1);
}

/** Nodes that ask to be left out of the next view. */
export function leavingOf(detector: Detector): Set<BootId> {
  return new Set([...detector.sightings.values()].filter((seen) => seen.vitals.leaving).map((seen) => seen.bootId));
}

/**
 * Whether a node that is there signs webhooks, one that is silent and not yet dead among them. Before Postgres has said
 * who is there: true, since whoever asks would otherwise deliver unsigned.
 */
export function webhooksAreSigned({ sightings, storeAgeMs }: Detector): boolean {
  return storeAgeMs === Infinity || [...sightings.values()].some((seen) => seen.signsWebhooks);
}

/** Without Postgres an age ends here, one beat below suspicion. */
function unconfirmedLimitMs(options: DetectorOptions): number {
  return Math.max(0, options.suspectAfterBeats - 1) * options.heartbeatIntervalMs;
}

/**
 * A beat that Postgres tells of after the medium is as old as it was there; one that has gone back is young. One that
 * has moved since Postgres was asked last is not older than that, whatever the medium has said: anybody may have
 * written there that it was seen long ago.
 */
function ageInStore(
  { storeBeat }: Reading,
  before: Sighting | undefined,
  { stepMs, storeAgeMs }: { stepMs: number; storeAgeMs: number },
): number {
  if (before === undefined) return 0;
  if (storeBeat === before.storeBeat) return before.storeBeatAgeMs + stepMs;
  const isKnown = storeBeat! > (before.storeBeat ?? 0) && storeBeat! <= before.beat;
  return isKnown ? Math.min(before.ageMs + stepMs, storeAgeMs) : 0;
}

function unconfirmed(ageMs: number, before: Sighting | undefined, options: DetectorOptions): number {
  return Math.min(ageMs, Math.max(unconfirmedLimitMs(options), before?.ageMs ?? 0));
}

type Reading = Omit<Sighting, "ageMs" | "storeBeatAgeMs">;

/** The newest of everybody: of those whom Postgres knows, where it was asked; else also of those seen before. */
function readingsOf({ sightings }: Detector, { store, medium }: Poll): Reading[] {
  const inMedium = new Map((medium ?? []).map((beat) => [beat.bootId, beat]));
  const known: Omit<Reading, "mediumBeat">[] = Array.isArray(store)
    ? store.map((beat: NodeBeat) => ({
        ...beat,
        storeBeat: beat.beat,
        signsWebhooks: beat.vitals.signsWebhooks === true,
      }))
    : [...unseen(inMedium, sightings), ...sightings.values()];
  return known.map((reading) => {
    const before = sightings.get(reading.bootId);
    const other = inMedium.get(reading.bootId);
    const newest = Math.max(reading.beat, before?.beat ?? 0);
    const news = isNews(other?.beat, newest, before) ? other : {};
    return { ...reading, ...news, mediumBeat: other?.beat ?? before?.mediumBeat ?? null };
  });
}

/** Whether the medium knows of a later beat. One that it has kept while a promoted standby forgot it is none. */
function isNews(mediumBeat: number | undefined, newest: number, before: Sighting | undefined): boolean {
  return mediumBeat !== undefined && mediumBeat > newest && mediumBeat !== before?.mediumBeat;
}

/** Who is in the medium only. */
function unseen(
  inMedium: ReadonlyMap<BootId, NodeBeat>,
  sightings: Detector["sightings"],
): Omit<Reading, "mediumBeat">[] {
  return [...inMedium.values()]
    .filter(({ bootId }) => !sightings.has(bootId))
    .map((beat) => ({ ...beat, storeBeat: null, signsWebhooks: false }));
}

function afterOutage(detector: Detector, options: DetectorOptions): Map<BootId, Sighting> {
  const suspectMs = options.suspectAfterBeats * options.heartbeatIntervalMs;
  const fresh = (seen: Sighting): Sighting =>
    seen.ageMs >= suspectMs ? seen : { ...seen, ageMs: 0, storeBeatAgeMs: 0 };
  return new Map([...detector.sightings].map(([bootId, seen]) => [bootId, fresh(seen)]));
}

function olderThan(detector: Detector, limitMs: number): Set<BootId> {
  return new Set([...detector.sightings.values()].filter((seen) => seen.ageMs >= limitMs).map((seen) => seen.bootId));
}
