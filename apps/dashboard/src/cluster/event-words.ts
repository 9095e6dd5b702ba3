import type { ActorName } from "../keys/key-names.js";
import type { ClusterEvent, ClusterEventFacts } from "../api/wire.js";
import { formatCount, formatDuration, formatNumberOf, formatRate } from "../time/format.js";
import type { NameOf } from "../nodes/node-names.js";

/** Events in words. Pure. */

export interface EventWords {
  readonly icon: string;
  /** Names a hue. */
  readonly state: string;
  readonly text: string;
  /** What else is known of it; empty: nothing. */
  readonly note: string;
}

/** What those are called who are told of. */
interface Names {
  readonly nameOf: NameOf;
  /** The name of who did something. */
  readonly actorName: ActorName;
}

/** `tw-c declared dead after 7 missed beats; it led`. */
export function eventWords(event: ClusterEvent, names: Names): EventWords {
  const { nameOf, actorName } = names;
  const who = event.node ? nameOf(event.node) : "Several nodes";
  switch (event.kind) {
    case "JOINED":
      return { icon: "joining", state: "live", text: `${who} joined`, note: joinedNote(event.facts) };
    case "TERM":
      return { icon: "crown", state: "notice", text: `${who} leads`, note: termNote(event.facts, nameOf) };
    case "VIEW":
      return { icon: "notice", state: "notice", text: viewText(event.facts), note: `term ${event.facts.term}` };
    case "TAKEOVER":
      return { icon: "takeover", state: "live", ...takeoverWords(who, event.facts, nameOf) };
    case "SUSPECT":
      return { icon: "suspect", state: "suspect", ...suspectWords(who, event.facts, nameOf) };
    case "RECOVERED":
      return {
        icon: "good",
        state: "live",
        text: `${who} beats again`,
        note: `seen by ${nameOf({ label: event.facts.seenBy, bootId: "" })}`,
      };
    case "DEAD":
      return { icon: "dead", state: "dead", ...deadWords(who, event.facts) };
    case "REAPED":
      return { icon: "undo", state: "notice", ...reapedWords(event.node ? who : "dead nodes", event.facts) };
    case "DRAINING":
      return { icon: "draining", state: "draining", text: `${who} drains`, note: "it claims no more" };
    case "DRAINED":
      return { icon: "draining", state: "draining", ...drainedWords(who, event.facts) };
    case "LEFT":
      return { icon: "leave", state: "draining", text: `${who} left`, note: orphansNote(event.facts.orphanedTypes) };
    case "SETTINGS_CHANGED":
      return { icon: "notice", state: "notice", ...settingWords(event.facts, actorName) };
    case "BREAKER_OPENED":
      return { icon: "failing", state: "failing", ...openedWords(event, nameOf) };
    case "BREAKER_CLOSED":
      return { icon: "good", state: "live", ...closedWords(event, names) };
    default:
      // A newer server may tell of more.
      return { icon: "notice", state: "notice", text: (event as ClusterEvent).kind.toLowerCase(), note: "" };
  }
}

type Words = Pick<EventWords, "text" | "note">;

function joinedNote({ version, typeCount, places }: ClusterEventFacts["JOINED"]): string {
  return listed([
    `version ${version}`,
    formatNumberOf(typeCount, "type"),
    places > 0 && formatNumberOf(places, "place"),
  ]);
}

function termNote({ term, before }: ClusterEventFacts["TERM"], nameOf: NameOf): string {
  return listed([`term ${term}`, before && `after ${nameOf(before)}`]);
}

function viewText({ view, nodeCount }: ClusterEventFacts["VIEW"]): string {
  return `View ${formatCount(view)} has ${formatNumberOf(nodeCount, "node")}`;
}

function takeoverWords(
  who: string,
  { from, slots, loadMs, late, view }: ClusterEventFacts["TAKEOVER"],
  nameOf: NameOf,
): Words {
  const lost = from.map((node) => nameOf(node)).join(", ");
  return {
    text: `${who} took over ${formatNumberOf(slots, "slot")} of ${lost || "a node that left"}, loaded in ${formatDuration(loadMs)}`,
    note: listed([`view ${formatCount(view)}`, `${formatNumberOf(late, "task")} late by then`]),
  };
}

function suspectWords(
  who: string,
  { silentMs, missedBeats, seenBy }: ClusterEventFacts["SUSPECT"],
  nameOf: NameOf,
): Words {
  return {
    text: `${who} is suspect after ${formatNumberOf(missedBeats, "missed beat")}`,
    note: listed([`silent for ${formatDuration(silentMs)}`, `seen by ${nameOf({ label: seenBy, bootId: "" })}`]),
  };
}

function deadWords(who: string, { missedBeats, led, blocked, orphanedTypes }: ClusterEventFacts["DEAD"]): Words {
  const after = missedBeats === undefined ? "" : ` after ${formatNumberOf(missedBeats, "missed beat")}`;
  return {
    text: `${who} declared dead${after}${led ? "; it led" : ""}`,
    note: listed([
      blocked && `its last beat told of a loop blocked for ${formatDuration(blocked.forMs)}`,
      orphansNote(orphanedTypes),
    ]),
  };
}

function reapedWords(whose: string, { tasks, dead }: ClusterEventFacts["REAPED"]): Words {
  return {
    text: `${formatNumberOf(tasks, "running task")} of ${whose} taken back`,
    note: dead > 0 ? `${formatCount(dead)} had crashed too many nodes, and are dead` : "",
  };
}

function drainedWords(who: string, { lastedMs, givenBack }: ClusterEventFacts["DRAINED"]): Words {
  return {
    text: `${who} drained in ${formatDuration(lastedMs)}`,
    note: givenBack === 0 ? "no task given back" : `${formatNumberOf(givenBack, "task")} given back`,
  };
}

const changeWords = { PAUSED: "paused", RESUMED: "resumed", SET: "set" } as const;

function settingWords(facts: ClusterEventFacts["SETTINGS_CHANGED"], actorName: Names["actorName"]): Words {
  const { actor, change, of, namespace, type, values } = facts;
  const what = { NAMESPACE: `Namespace ${namespace}`, TYPE: `Type ${type}`, KEY: `A key of type ${type}` }[of];
  return {
    text: `${what} ${changeWords[change]} by ${actorName(actor)}`,
    note: listed([...valueWords(values ?? {}), of !== "NAMESPACE" && `namespace ${namespace}`]),
  };
}

type Values = NonNullable<ClusterEventFacts["SETTINGS_CHANGED"]["values"]>;

/** What was set, or taken away: `at most 5 at once`, `no limit of starts`. */
function valueWords(values: Values): string[] {
  const { concurrency, maxRunning, rate, keepSucceededMs, keepCancelledMs, keepDeadMs } = values;
  const said = <Value>(value: Value | null | undefined, text: (value: Value) => string, none: string): string[] =>
    value === undefined ? [] : [value === null ? none : text(value)];
  return [
    ...said(concurrency, (count) => `${formatCount(count)} on each node`, "no limit of a node"),
    ...said(maxRunning, (count) => `at most ${formatCount(count)} at once`, "no limit at once"),
    ...said(rate, (one) => `${formatRate(one)} start`, "no limit of starts"),
    ...said(keepSucceededMs, (ms) => `succeeded kept ${keptText(ms)}`, "succeeded kept like others"),
    ...said(keepCancelledMs, (ms) => `cancelled kept ${keptText(ms)}`, "cancelled kept like others"),
    ...said(keepDeadMs, (ms) => `dead kept ${keptText(ms)}`, "dead kept like others"),
  ];
}

const keptText = (ms: number): string => (ms === 0 ? "not at all" : `for ${formatDuration(ms)}`);

type EventOf<Kind extends ClusterEvent["kind"]> = Extract<ClusterEvent, { readonly kind: Kind }>;

function openedWords({ node, facts }: EventOf<"BREAKER_OPENED">, nameOf: NameOf): Words {
  return {
    text: `The breaker of ${facts.type} opened for ${formatDuration(facts.forMs)}`,
    note: listed([node && `its attempts fail on ${nameOf(node)}`, `namespace ${facts.namespace}`]),
  };
}

function closedWords({ at, node, facts }: EventOf<"BREAKER_CLOSED">, { nameOf, actorName }: Names): Words {
  const { namespace, type, openedAt, actor } = facts;
  const byTrial = node && `a trial on ${nameOf(node)} succeeded`;
  return {
    text: `The breaker of ${type} closed${actor === null ? "" : ` by ${actorName(actor)}`}`,
    note: listed([
      actor === null && byTrial,
      `it was open for ${formatDuration(Date.parse(at) - openedAt)}`,
      `namespace ${namespace}`,
    ]),
  };
}

/** At most so many types are named. */
const mostNamed = 3;

/** `no node runs a, b, c and 2 more`; empty: it took no type away. */
export function orphansNote(types: readonly string[]): string {
  if (types.length === 0) return "";
  const more = types.length > mostNamed ? ` and ${formatCount(types.length - mostNamed)} more` : "";
  return `it was the last one with ${types.slice(0, mostNamed).join(", ")}${more}`;
}

function listed(parts: readonly (string | false | null)[]): string {
  return parts.filter(Boolean).join(", ");
}
