import type { ClusterEvent, EventNode } from "../api/wire.js";
import { formatCount } from "../time/format.js";

/** One event from near: what led to it and what came of it, to scale. Pure; instants are milliseconds. */

export interface CloseUp {
  readonly from: number;
  readonly until: number;
  readonly lanes: readonly CloseLane[];
  /** On the axis, in order. */
  readonly moments: readonly Moment[];
  /** From the last beat of the node until its last task was loaded; null: that is not what happened. */
  readonly takenOverMs: number | null;
}

export interface CloseLane {
  readonly node: EventNode;
  /** Below its name; empty: nothing. */
  readonly note: string;
  /** Drawn from their interval: no event tells of each beat. */
  readonly beats: readonly { readonly at: number; readonly isMissed: boolean }[];
  readonly segments: readonly CloseSegment[];
  readonly flags: readonly {
    readonly at: number;
    readonly state: string;
    readonly icon: string;
    readonly text: string;
  }[];
}

export interface CloseSegment {
  readonly from: number;
  readonly until: number;
  readonly kind: "silent" | "suspect" | "loads" | "drains";
  readonly text: string;
}

export interface Moment {
  readonly at: number;
  readonly text: string;
}

/** What belongs to an event lies within this of it. */
const storyMs = 5 * 60_000;
/** Beats that are drawn before the last one, and missed ones at most. */
const beatsBefore = 4;
const mostMissed = 60;
/** How many lanes are drawn at most. */
const mostLanes = 12;
const shortestMs = 2_000;
/** Room at both ends together, against what lies between them: enough for a label. */
const roomShare = 0.32;

/** The event that is shown unless another is chosen: the latest takeover or death, else the newest of all. */
export function defaultEvent(events: readonly ClusterEvent[]): ClusterEvent | null {
  return events.find(({ kind }) => kind === "TAKEOVER" || kind === "DEAD") ?? events[0] ?? null;
}

/** @param events newest first; `focus` is one of them */
export function closeUpOf(events: readonly ClusterEvent[], focus: ClusterEvent): CloseUp {
  const subjects = subjectsOf(focus);
  const near = events
    .filter((event) => Math.abs(msOf(event) - msOf(focus)) <= storyMs && belongsTo(event, subjects, focus))
    .sort((one, other) => msOf(one) - msOf(other));
  const lanes = lanesOf(near, subjects, focus);
  const moments = momentsOf(near, lanes);
  const span = spanOf(lanes, msOf(focus));
  return { ...span, lanes, moments, takenOverMs: takenOverMs(near, lanes) };
}

/** The nodes that the event is about: those whose fate it tells. */
function subjectsOf({ kind, node, facts }: ClusterEvent): EventNode[] {
  if (kind === "TAKEOVER") return [...facts.from];
  if (kind === "REAPED") return facts.nodes.map((bootId) => ({ bootId, label: null }));
  if (kind === "TERM" && facts.before) return [facts.before];
  return node ? [node] : [];
}

function belongsTo(event: ClusterEvent, subjects: readonly EventNode[], focus: ClusterEvent): boolean {
  const isSubject = (bootId: string | undefined): boolean => subjects.some((one) => one.bootId === bootId);
  const { kind, node, facts } = event;
  if (event.id === focus.id) return true;
  if (kind === "VIEW") return false;
  if (kind === "TERM") return isSubject(facts.before?.bootId);
  if (kind === "TAKEOVER") return facts.from.some(({ bootId }) => isSubject(bootId));
  if (kind === "REAPED") return facts.nodes.some(isSubject);
  return isSubject(node?.bootId);
}

function lanesOf(near: readonly ClusterEvent[], subjects: readonly EventNode[], focus: ClusterEvent): CloseLane[] {
  const known = (bootId: string): EventNode | undefined =>
    near.find(({ node }) => node?.bootId === bootId)?.node ?? undefined;
  const nodes = new Map(subjects.map((node) => [node.bootId, known(node.bootId) ?? node]));
  for (const { node } of near) if (node && !nodes.has(node.bootId)) nodes.set(node.bootId, node);
  return [...nodes.values()].slice(0, mostLanes).map((node) => {
    const own = near.filter((event) => event.node?.bootId === node.bootId);
    const silence = silenceOf(own, focus);
    return {
      node: { bootId: node.bootId, label: node.label },
      note: noteOf(own),
      beats: beatsOf(silence, joinedAt(own)),
      segments: [...silentSegments(silence), ...own.flatMap((event) => segmentOf(event, own))],
      flags: own.flatMap(flagOf),
    };
  });
}

/** A node's silence: since when, when it was noticed, and how it ended. */
interface Silence {
  readonly lastBeatAt: number;
  /** How long a beat takes; null: it is not known. */
  readonly intervalMs: number | null;
  readonly suspectAt: number | null;
  readonly endAt: number;
  readonly missedBeats: number | null;
}

function silenceOf(own: readonly ClusterEvent[], focus: ClusterEvent): Silence | null {
  const isRecovery = focus.kind === "SUSPECT" || focus.kind === "RECOVERED";
  const latest = isRecovery ? msOf(focus) : Number.POSITIVE_INFINITY;
  const suspect = own.findLast((event) => event.kind === "SUSPECT" && msOf(event) <= latest);
  const since = suspect ? msOf(suspect) : Number.NEGATIVE_INFINITY;
  const end = own.find((event) => (event.kind === "RECOVERED" || event.kind === "DEAD") && msOf(event) >= since);
  const teller = end?.kind === "DEAD" && end.lastBeatAt !== null ? end : suspect;
  if (!teller || teller.lastBeatAt === null) return null;
  const { silentMs, missedBeats } = teller.facts as { silentMs?: number; missedBeats?: number };
  return {
    lastBeatAt: Date.parse(teller.lastBeatAt),
    intervalMs: silentMs !== undefined && missedBeats ? silentMs / missedBeats : null,
    suspectAt: suspect ? msOf(suspect) : null,
    endAt: msOf(end ?? own.at(-1)!),
    missedBeats: missedBeats ?? null,
  };
}

function joinedAt(own: readonly ClusterEvent[]): number {
  const joined = own.find(({ kind }) => kind === "JOINED");
  return joined ? msOf(joined) : Number.NEGATIVE_INFINITY;
}

/** Nobody beats before it has joined. */
function beatsOf(silence: Silence | null, joinedMs: number): CloseLane["beats"] {
  if (silence?.intervalMs == null) return [];
  const { lastBeatAt, intervalMs, endAt } = silence;
  const missed = Math.min(mostMissed, Math.floor((endAt - lastBeatAt) / intervalMs));
  return Array.from({ length: beatsBefore + 1 + missed }, (_, index) => ({
    at: lastBeatAt + (index - beatsBefore) * intervalMs,
    isMissed: index > beatsBefore,
  })).filter(({ at }) => at >= joinedMs);
}

function silentSegments(silence: Silence | null): CloseSegment[] {
  if (!silence) return [];
  const { lastBeatAt, suspectAt, endAt, missedBeats } = silence;
  const silent = { from: lastBeatAt, until: suspectAt ?? endAt, kind: "silent", text: "silent" } as const;
  if (suspectAt === null) return [silent];
  const missed = missedBeats === null ? "suspect" : `suspect, ${formatCount(missedBeats)} beats missed`;
  return [silent, { from: suspectAt, until: Math.max(suspectAt, endAt), kind: "suspect", text: missed }];
}

function segmentOf(event: ClusterEvent, own: readonly ClusterEvent[]): CloseSegment[] {
  const at = msOf(event);
  if (event.kind === "TAKEOVER") return [{ from: at - event.facts.loadMs, until: at, kind: "loads", text: "loads" }];
  if (event.kind === "DRAINED") return [{ from: at - event.facts.lastedMs, until: at, kind: "drains", text: "drains" }];
  if (event.kind !== "DRAINING" || own.some(({ kind }) => kind === "DRAINED")) return [];
  const end = own.find(({ kind }) => kind === "LEFT" || kind === "DEAD");
  return end ? [{ from: at, until: msOf(end), kind: "drains", text: "drains" }] : [];
}

function flagOf(event: ClusterEvent): CloseLane["flags"][number][] {
  const at = msOf(event);
  if (event.kind === "DEAD") return [{ at, state: "dead", icon: "dead", text: "declared dead" }];
  if (event.kind === "LEFT") return [{ at, state: "draining", icon: "leave", text: "left" }];
  if (event.kind === "JOINED") return [{ at, state: "live", icon: "joining", text: "joined" }];
  if (event.kind === "RECOVERED") return [{ at, state: "live", icon: "good", text: "beats again" }];
  if (event.kind === "REAPED") return [{ at, state: "notice", icon: "undo", text: "its tasks taken back" }];
  if (event.kind === "TERM") return [{ at, state: "notice", icon: "crown", text: `leads, term ${event.facts.term}` }];
  return [];
}

function noteOf(own: readonly ClusterEvent[]): string {
  const took = own.flatMap((event) => (event.kind === "TAKEOVER" ? event.facts : []));
  if (took.length > 0) {
    const sum = (of: "slots" | "late"): string => formatCount(took.reduce((all, facts) => all + facts[of], 0));
    return `+${sum("slots")} slots, ${sum("late")} tasks late`;
  }
  return own.some((event) => event.kind === "DEAD" && event.facts.led) ? "led" : "";
}

function momentsOf(near: readonly ClusterEvent[], lanes: readonly CloseLane[]): Moment[] {
  const silent = lanes.flatMap(({ segments }) => segments.filter(({ kind }) => kind === "silent"));
  const named: Partial<Record<ClusterEvent["kind"], string>> = {
    SUSPECT: "suspect",
    RECOVERED: "beats again",
    DEAD: "dead",
    JOINED: "joined",
    LEFT: "left",
    DRAINING: "drains",
    DRAINED: "drained",
    TAKEOVER: "loaded",
    TERM: "elected",
    REAPED: "taken back",
  };
  return [
    ...silent.map(({ from }) => ({ at: from, text: "last beat" })),
    ...near.flatMap((event) => (named[event.kind] ? [{ at: msOf(event), text: named[event.kind]! }] : [])),
  ].sort((one, other) => one.at - other.at);
}

function spanOf(lanes: readonly CloseLane[], focusAt: number): { from: number; until: number } {
  const instants = lanes.flatMap(({ beats, segments, flags }) => [
    ...beats.map(({ at }) => at),
    ...flags.map(({ at }) => at),
    ...segments.flatMap(({ from, until }) => [from, until]),
  ]);
  const first = Math.min(focusAt, ...instants);
  const last = Math.max(focusAt, ...instants);
  const room = Math.max(shortestMs - (last - first), (last - first) * roomShare) / 2;
  return { from: first - room, until: last + room };
}

function takenOverMs(near: readonly ClusterEvent[], lanes: readonly CloseLane[]): number | null {
  const beats = lanes.flatMap(({ segments }) =>
    segments.filter(({ kind }) => kind === "silent").map(({ from }) => from),
  );
  const loaded = near.filter(({ kind }) => kind === "TAKEOVER").map(msOf);
  return beats.length > 0 && loaded.length > 0 ? Math.max(...loaded) - Math.min(...beats) : null;
}

function msOf({ at }: Pick<ClusterEvent, "at">): number {
  return Date.parse(at);
}
