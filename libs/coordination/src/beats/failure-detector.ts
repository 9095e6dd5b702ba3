import type { BootId, NodeBeat } from "@tickwheel/core";

/**
 * Which nodes are alive, by one observer's readings of all beats [still-observer]. Pure: a state, a function that adds
 * a poll, and verdicts.
 *
 * An age is how long a beat has stood still while we were looking:
 * - a poll adds at most {@link MAX_POLL_STEP_MS}, so a pause of the observer makes no node look old;
 * - a poll adds nothing while Postgres does not answer; while Postgres rejects our beats, the age of every node that is
 *   not yet suspect restarts at zero, because no node could beat;
 * - without a reading of Postgres an age stays below suspicion: a medium that lost its keys makes no node suspect;
 * - if Postgres was asked, only its reading can lower an age: a beat that is only in the medium may have been under way
 *   for long, and a node whose beats do not reach Postgres must not work;
 * - a beat that went back in Postgres counts as moved: a promoted standby has lost some;
 * - [lost-session] a node is gone long before its beats say so if its session in Postgres was seen to end, its beat has
 *   stood still for {@link GONE_AFTER_BEATS} intervals, and the medium has heard nothing of it for two. A session
 *   counts as seen only in readings that follow each other without a failure and are of one start of the server;
 *   without a medium, or one that has not heard of the node before, beats alone decide.
 */
export interface Detector {
  readonly sightings: ReadonlyMap<BootId, Sighting>;
  /** Since the last reading of Postgres. */
  readonly storeAgeMs: number;
  /** The server's start by the last reading of Postgres; null: there was none, or it told none. */
  readonly server: string | null;
}
export interface Sighting extends NodeBeat {
  /** How long the beat has not moved. */
  readonly ageMs: number;
  /** How long the beat in Postgres has not moved. */
  readonly storeBeatAgeMs: number;
  /** The last beat in Postgres; null: not asked since this node was first seen. */
  readonly storeBeat: number | null;
  /** Whether it signs webhooks, by the last reading of Postgres. */
  readonly signsWebhooks: boolean;
  /** The last beat in the medium; null: the medium has never listed this node. */
  readonly mediumBeat: number | null;
  /** What the readings of Postgres say of its session. */
  readonly life: "unknown" | "seen" | "ended";
  /** How long the medium has heard nothing of it, while the medium answered; null: it has never heard of it. */
  readonly silentMs: number | null;
}

export interface DetectorOptions {
  heartbeatIntervalMs: number;
  suspectAfterBeats: number;
  deadAfterBeats: number;
}

/** One reading of all beats. */
export interface Poll {
  /** From the medium (Redis); null if it has none or did not answer. */
  medium: readonly NodeBeat[] | null;
  /** From Postgres; null if it was not asked. `failed`: it did not answer; `unfit`: it rejects our beats. */
  store: readonly NodeBeat[] | "failed" | "unfit" | null;
  /** Since the poll before. */
  sinceLastMs: number;
}

export const MAX_POLL_STEP_MS = 500;

/**
 * How long a beat must stand still before a node without a session counts as gone, and how long the medium must have
 * heard nothing, in intervals. A node whose beat is not answered says that it lives after one and a quarter.
 */
const GONE_AFTER_BEATS = 1.5;
const GONE_AFTER_SILENT_BEATS = 2;

export const NOBODY_SEEN: Detector = { sightings: new Map(), storeAgeMs: Infinity, server: null };

/**
 * Whether this poll must ask Postgres: the medium has nothing, a beat has stood still for too long, or an interval has
 * passed (no poll is nearer to it). The last case finds nodes and last beats that never reached the medium; the age of
 * such a beat begins when it is read.
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
  if (poll.store === "failed") return { sightings: livesUnknown(detector.sightings), storeAgeMs, server: null };
  if (poll.store === "unfit")
    return { sightings: livesUnknown(afterOutage(detector, options)), storeAgeMs, server: null };
  const stepMs = Math.min(Math.max(poll.sinceLastMs, 0), MAX_POLL_STEP_MS);
  const sightings = new Map<BootId, Sighting>();
  for (const reading of readingsOf(detector, poll)) {
    const { bootId } = reading;
    const before = detector.sightings.get(bootId);
    const storeBeatAgeMs = ageInStore(reading, before, { stepMs, storeAgeMs });
    const ageMs = before === undefined || reading.beat > before.beat ? 0 : before.ageMs + stepMs;
    const knownAgeMs = poll.store === null ? unconfirmed(ageMs, before, options) : storeBeatAgeMs;
    const silentMs = silenceOf(reading, before, { ...poll, stepMs });
    sightings.set(bootId, { ...reading, ageMs: knownAgeMs, storeBeatAgeMs, silentMs });
  }
  if (poll.store === null) return { sightings, storeAgeMs, server: detector.server };
  return { sightings, storeAgeMs: 0, server: serverOf(poll.store) };
}

/** Nodes whose beat has stood still for `suspectAfterBeats` intervals, or that are gone: they only leave the view. */
export function suspectsOf(detector: Detector, options: DetectorOptions): Set<BootId> {
  return silentOrGone(detector, options.suspectAfterBeats, options);
}

/**
 * Nodes whose beat has stood still for `deadAfterBeats` intervals, or that are gone: a leader may declare them dead.
 */
export function deadOf(detector: Detector, options: DetectorOptions): Set<BootId> {
  return silentOrGone(detector, options.deadAfterBeats, options);
}

/**
 * Whether an observer may judge: its own beats get through. If they do not, either it is cut off itself, or Postgres
 * takes no beats at all. It stops judging one beat before it could suspect others.
 */
export function isFit(ownBeatAgeMs: number, options: DetectorOptions): boolean {
  return ownBeatAgeMs < options.heartbeatIntervalMs * (options.suspectAfterBeats - 1);
}

/** Nodes that ask to be left out of the next view. */
export function leavingOf(detector: Detector): Set<BootId> {
  return new Set([...detector.sightings.values()].filter((seen) => seen.vitals.leaving).map((seen) => seen.bootId));
}

/**
 * Whether a present node signs webhooks; a silent node that is not yet dead counts. True before Postgres has listed the
 * nodes, because the caller would otherwise deliver unsigned.
 */
export function webhooksAreSigned({ sightings, storeAgeMs }: Detector): boolean {
  return storeAgeMs === Infinity || [...sightings.values()].some((seen) => seen.signsWebhooks);
}

/** Without Postgres an age stops here, one beat below suspicion. */
function unconfirmedLimitMs(options: DetectorOptions): number {
  return Math.max(0, options.suspectAfterBeats - 1) * options.heartbeatIntervalMs;
}

/**
 * A beat that Postgres shows after the medium keeps the age it had there; a beat that went back has age zero. A beat
 * that moved since the last reading of Postgres is at most that old, whatever the medium shows: anybody may have
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

/** What a poll tells of a node, before its ages are known. */
type Reading = Omit<Sighting, "ageMs" | "storeBeatAgeMs" | "silentMs">;

/** The newest reading of each node: of the nodes in Postgres if it was asked; else also of those seen before. */
function readingsOf({ sightings, server }: Detector, { store, medium }: Poll): Reading[] {
  const inMedium = new Map((medium ?? []).map((beat) => [beat.bootId, beat]));
  const known: Omit<Reading, "mediumBeat">[] = Array.isArray(store)
    ? store.map((beat: NodeBeat) => ({
        ...beat,
        storeBeat: beat.beat,
        signsWebhooks: beat.vitals.signsWebhooks === true,
        life: lifeOf(beat, sightings.get(beat.bootId), server),
      }))
    : [...unseen(inMedium, sightings), ...sightings.values()];
  return known.map((reading) => {
    const before = sightings.get(reading.bootId);
    const other = inMedium.get(reading.bootId);
    const newest = Math.max(reading.beat, before?.beat ?? 0);
    const news = isNews(other?.beat, newest, before) ? other : {};
    const pulse = other?.pulse ?? before?.pulse;
    return { ...reading, ...news, pulse, mediumBeat: other?.beat ?? before?.mediumBeat ?? null };
  });
}

/** Whether the medium has a later beat. A beat that it kept while a promoted standby lost it does not count. */
function isNews(mediumBeat: number | undefined, newest: number, before: Sighting | undefined): boolean {
  return mediumBeat !== undefined && mediumBeat > newest && mediumBeat !== before?.mediumBeat;
}

/** Nodes that only the medium has. */
function unseen(
  inMedium: ReadonlyMap<BootId, NodeBeat>,
  sightings: Detector["sightings"],
): Omit<Reading, "mediumBeat">[] {
  return [...inMedium.values()]
    .filter(({ bootId }) => !sightings.has(bootId))
    .map((beat) => ({ ...beat, storeBeat: null, signsWebhooks: false, life: "unknown" }));
}

/** [lost-session] A session has ended only where this observer has seen it before, at the same start of the server. */
function lifeOf({ session }: NodeBeat, before: Sighting | undefined, server: string | null): Sighting["life"] {
  if (session === undefined) return "unknown";
  if (session.isHeld) return "seen";
  return before !== undefined && before.life !== "unknown" && session.server === server ? "ended" : "unknown";
}

function serverOf(store: Poll["store"]): string | null {
  return (Array.isArray(store) ? (store[0] as NodeBeat | undefined)?.session?.server : null) ?? null;
}

function livesUnknown(sightings: Detector["sightings"]): Detector["sightings"] {
  return new Map([...sightings].map(([bootId, seen]) => [bootId, { ...seen, life: "unknown" as const }]));
}

/**
 * How long the medium has heard nothing of a node. A medium that does not answer tells nothing, so nothing is added.
 */
function silenceOf(
  { bootId, pulse }: Reading,
  before: Sighting | undefined,
  { medium, stepMs }: Pick<Poll, "medium"> & { stepMs: number },
): number | null {
  if (medium === null) return before?.silentMs ?? null;
  if (pulse === undefined) return null;
  const isNews = pulse !== before?.pulse && medium.some((beat) => beat.bootId === bootId);
  return isNews ? 0 : (before?.silentMs ?? 0) + stepMs;
}

function afterOutage(detector: Detector, options: DetectorOptions): Map<BootId, Sighting> {
  const suspectMs = options.suspectAfterBeats * options.heartbeatIntervalMs;
  const fresh = (seen: Sighting): Sighting =>
    seen.ageMs >= suspectMs ? seen : { ...seen, ageMs: 0, storeBeatAgeMs: 0 };
  return new Map([...detector.sightings].map(([bootId, seen]) => [bootId, fresh(seen)]));
}

function silentOrGone({ sightings }: Detector, beats: number, { heartbeatIntervalMs }: DetectorOptions): Set<BootId> {
  const limitMs = beats * heartbeatIntervalMs;
  const isGone = ({ life, ageMs, silentMs }: Sighting): boolean =>
    life === "ended" &&
    ageMs >= GONE_AFTER_BEATS * heartbeatIntervalMs &&
    silentMs !== null &&
    silentMs >= GONE_AFTER_SILENT_BEATS * heartbeatIntervalMs;
  const silent = [...sightings.values()].filter((seen) => seen.ageMs >= limitMs || isGone(seen));
  return new Set(silent.map(({ bootId }) => bootId));
}
