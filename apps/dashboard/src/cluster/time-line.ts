import type { Cluster, ClusterEvent, ClusterNode } from "../api/wire.js";
import type { NameOf } from "../nodes/node-names.js";

/** What the time line shows of the events: a lane for each node, by its name. Pure; instants are milliseconds. */

/** How many lanes are drawn at most. */
export const mostLanes = 12;

export type SpanState = "live" | "suspect" | "draining";

export interface Span {
  readonly from: number;
  readonly until: number;
  readonly state: SpanState;
}

export interface Lead {
  readonly from: number;
  readonly until: number;
}

export interface Mark {
  readonly id: string;
  readonly at: number;
  readonly kind: ClusterEvent["kind"];
}

export interface Lane {
  /** What all of its incarnations are called. */
  readonly name: string;
  readonly spans: readonly Span[];
  readonly leads: readonly Lead[];
  readonly marks: readonly Mark[];
}

export interface TimeLine {
  readonly from: number;
  readonly until: number;
  /** Those that are there first, then those that are gone, latest first. */
  readonly lanes: readonly Lane[];
  /** How many more there are. */
  readonly hiddenLanes: number;
  readonly terms: readonly { readonly at: number; readonly term: number }[];
}

interface TimeLineInput {
  /** The events of the range; in any order. */
  readonly events: readonly ClusterEvent[];
  readonly cluster: Pick<Cluster, "nodes" | "leader">;
  readonly from: number;
  readonly until: number;
  readonly nameOf: NameOf;
}

export function timeLineOf({ events, cluster, from, until, nameOf }: TimeLineInput): TimeLine {
  const told = events
    .map((event): TimedEvent => ({ ...event, ms: Date.parse(event.at) }))
    .filter(({ ms }) => ms >= from && ms <= until)
    .sort((one, other) => one.ms - other.ms);
  const lives = livesOf(told, cluster.nodes, { from, until });
  const leads = leadsOf(told, { cluster, lives, from, until });
  const lanes = [...groupedBy(lives.values(), nameOf)].map(([name, incarnations]) => ({
    isThere: incarnations.some(({ isThere }) => isThere),
    end: Math.max(...incarnations.map((life) => life.until)),
    lane: laneOf(name, incarnations, { told, leads }),
  }));
  lanes.sort(
    (one, other) =>
      Number(other.isThere) - Number(one.isThere) ||
      (one.isThere ? 0 : other.end - one.end) ||
      one.lane.name.localeCompare(other.lane.name),
  );
  return {
    from,
    until,
    lanes: lanes.slice(0, mostLanes).map(({ lane }) => lane),
    hiddenLanes: Math.max(0, lanes.length - mostLanes),
    terms: told.flatMap(({ kind, ms, facts }) =>
      kind === "TERM" && "term" in facts ? { at: ms, term: facts.term } : [],
    ),
  };
}

interface LaneInput {
  readonly told: readonly TimedEvent[];
  readonly leads: readonly { readonly bootId: string; readonly lead: Lead }[];
}

function laneOf(name: string, incarnations: readonly Life[], { told, leads }: LaneInput): Lane {
  const isIts = (bootId: string | undefined): boolean => incarnations.some((life) => life.bootId === bootId);
  return {
    name,
    spans: incarnations.flatMap(({ spans }) => spans),
    leads: leads.filter(({ bootId }) => isIts(bootId)).map(({ lead }) => lead),
    marks: told
      .filter(({ node, kind }) => kind !== "TERM" && isIts(node?.bootId))
      .map(({ id, ms, kind }) => ({ id, at: ms, kind })),
  };
}

type TimedEvent = ClusterEvent & { readonly ms: number };

interface Stretch {
  readonly from: number;
  readonly until: number;
}

/** One incarnation within the stretch. */
interface Life extends Stretch {
  readonly bootId: string;
  readonly label: string;
  readonly isThere: boolean;
  readonly spans: readonly Span[];
}

function livesOf(told: readonly TimedEvent[], nodes: readonly ClusterNode[], stretch: Stretch): Map<string, Life> {
  const present = new Map(nodes.map((node) => [node.bootId, node]));
  const ownEvents = groupedBy(
    told.filter(({ node }) => node !== null),
    ({ node }) => node!.bootId,
  );
  const bootIds = new Set([...present.keys(), ...ownEvents.keys()]);
  return new Map(
    [...bootIds].map((bootId) => [
      bootId,
      lifeOf(bootId, ownEvents.get(bootId) ?? [], { node: present.get(bootId), stretch }),
    ]),
  );
}

function lifeOf(
  bootId: string,
  own: readonly TimedEvent[],
  { node, stretch }: { node: ClusterNode | undefined; stretch: Stretch },
): Life {
  const joinedAt = own.find(({ kind }) => kind === "JOINED")?.ms ?? (node ? Date.parse(node.joinedAt) : stretch.from);
  const end = own.find(({ kind }) => kind === "DEAD" || kind === "LEFT")?.ms;
  const isThere = end === undefined && node !== undefined && node.state !== "dead";
  const from = Math.max(stretch.from, joinedAt);
  const until = Math.max(from, end ?? (isThere ? stretch.until : (own.at(-1)?.ms ?? from)));
  const label = node?.label ?? own.find((event) => event.node?.label)?.node?.label ?? `node ${bootId}`;
  return { bootId, label, isThere, from, until, spans: spansOf(own, { from, until }) };
}

const stateAfter: Partial<Record<ClusterEvent["kind"], SpanState>> = {
  SUSPECT: "suspect",
  RECOVERED: "live",
  DRAINING: "draining",
};

function spansOf(own: readonly TimedEvent[], { from, until }: Stretch): Span[] {
  const spans: Span[] = [];
  let [state, since]: [SpanState, number] = ["live", from];
  // Its drain may have begun before the range.
  if (own[0] !== undefined && own[0].kind === "DRAINED") state = "draining";
  for (const { kind, ms } of own) {
    const next = stateAfter[kind];
    if (next === undefined || ms > until) continue;
    if (ms > since) spans.push({ from: since, until: ms, state });
    [state, since] = [next, Math.max(since, ms)];
  }
  return until > since || spans.length === 0 ? [...spans, { from: since, until, state }] : spans;
}

interface LeadsInput extends Stretch {
  readonly cluster: Pick<Cluster, "leader">;
  readonly lives: ReadonlyMap<string, Life>;
}

/** Who led when. Before the first change it was the one that this took the term from; without any, the present one. */
function leadsOf(told: readonly TimedEvent[], { cluster, lives, from, until }: LeadsInput) {
  const changes = told.flatMap((event) => (event.kind === "TERM" && event.node ? [event] : []));
  const [first] = changes;
  const before = first ? first.facts.before : cluster.leader;
  const begun = [
    ...(before ? [{ bootId: before.bootId, at: from }] : []),
    ...changes.map(({ node, ms }) => ({ bootId: node!.bootId, at: ms })),
  ];
  return begun.flatMap(({ bootId, at }, place) => {
    const life = lives.get(bootId);
    const end = Math.min(begun[place + 1]?.at ?? until, life?.until ?? until);
    const begin = Math.max(at, life?.from ?? at);
    return end > begin ? [{ bootId, lead: { from: begin, until: end } }] : [];
  });
}

function groupedBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
