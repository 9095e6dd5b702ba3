import {
  type BlockedLoop,
  type BootId,
  isBootId,
  type NodeAnnouncement,
  type NodeBeat,
  type NodeVitals,
  type TypeInFlight,
} from "@tickwheel/core";

/**
 * The names of everything in Redis. The braces are a hash tag: all keys of a cluster live in one slot of a Redis
 * Cluster.
 */
export class NodeKeys {
  private readonly prefix: string;

  constructor(cluster: string) {
    this.prefix = `tickwheel:{${cluster}}`;
  }

  /** A hash: who the node is, its beat, what it tells about itself. */
  node(label: string): string {
    return `${this.prefix}:node:${label}`;
  }

  /** A text: the slots that it owns of any type, such as `0-12,40`. */
  owned(label: string): string {
    return `${this.prefix}:owned:${label}`;
  }

  /** A set: the labels of the nodes that announced themselves lately. */
  get nodes(): string {
    return `${this.prefix}:nodes`;
  }

  /** The election's lock. */
  get leader(): string {
    return `${this.prefix}:leader`;
  }

  channel(to: BootId | "all"): string {
    return `${this.prefix}:to:${to}`;
  }
}

/** The fields of a node's hash. */
export function fieldsOf({ bootId, beat, pulse, vitals }: NodeAnnouncement): Record<string, string> {
  const {
    leaving,
    blocked = null,
    settings,
    waits,
    signsWebhooks: _notBelievedHere,
    away: _norThis,
    ...numbers
  } = vitals;
  const texts = Object.entries(numbers).map(([name, value]) => [name, String(value)]);
  const flags = { leaving: leaving ? "1" : "0", blocked: blocked === null ? "" : JSON.stringify(blocked) };
  const lists = { settings: settings?.join(".") ?? "", waits: waits?.join(",") ?? "" };
  const pulses = pulse === undefined ? {} : { pulse: String(pulse) };
  return { bootId, beat: String(beat), ...pulses, ...flags, ...lists, ...Object.fromEntries(texts) };
}

/** The numbers among the vitals, each a field of its own. */
const NUMBERS = [
  ...(["view", "term", "loopLagMs", "clockOffsetMs", "ownedSlots", "wheelSize", "inFlight", "places"] as const),
] satisfies (keyof NodeVitals)[];
/** What is read of a node's hash: of one with a million fields no more than these. */
export const BEAT_FIELDS = ["bootId", "beat", "pulse", "leaving", "blocked", "settings", "waits", ...NUMBERS];
/** No `ip:pid` is longer. */
export const MAX_LABEL_LENGTH = 255;

/**
 * [hints-only]: a node's beat by the {@link BEAT_FIELDS} of its hash; null where the hash is gone or is none of ours,
 * since anybody may have written it. A number that an older version does not tell is 0.
 */
export function beatOf(
  label: string,
  [bootId, beat, pulse, leaving, blocked, settings, waits, ...rest]: readonly (string | null)[],
): NodeBeat | null {
  const raised = Number(beat ?? Number.NaN);
  const numbers = rest.map(Number);
  if (!isBootId(bootId) || !Number.isSafeInteger(raised) || raised < 0 || !numbers.every(Number.isFinite)) return null;
  const told = Object.fromEntries(NUMBERS.map((name, place) => [name, numbers[place]]));
  return {
    bootId,
    label,
    beat: raised,
    ...pulseOf(pulse),
    vitals: {
      leaving: leaving === "1",
      ...told,
      ...settingsOf(settings),
      ...waitsOf(waits),
      ...blockedOf(blocked),
    } as NodeVitals,
  };
}

function pulseOf(text: string | null | undefined): Pick<NodeBeat, "pulse"> {
  return text && /^\d{1,15}$/.test(text) ? { pulse: Number(text) } : {};
}

const REVISION = /^(\d{1,9})\.(\d{1,15})$/;

/** The revision of the settings that the node obeys, for findings: a node that makes a change asks Postgres. */
function settingsOf(text: string | null | undefined): Pick<NodeBeat["vitals"], "settings"> {
  const found = REVISION.exec(text ?? "");
  return found === null ? {} : { settings: [Number(found[1]), Number(found[2])] };
}

/** A hundred numbers of limits at most: a hint, as all here. */
const LIMIT_IDS = /^\d{1,9}(?:,\d{1,9}){0,99}$/;

function waitsOf(text: string | null | undefined): Pick<NodeBeat["vitals"], "waits"> {
  return text && LIMIT_IDS.test(text) ? { waits: text.split(",").map(Number) } : {};
}

/** Only where there is one, and it can be read: the medium is not trusted. */
function blockedOf(text: string | null | undefined): Pick<NodeBeat["vitals"], "blocked"> {
  if (!text) return {};
  try {
    const { forMs, running, lastStarted } = JSON.parse(text) as Partial<BlockedLoop>;
    if (typeof forMs !== "number" || !Array.isArray(running)) return {};
    const isType = (told: TypeInFlight | null): boolean =>
      typeof told?.type === "string" && typeof told.count === "number";
    const last = typeof lastStarted === "string" ? lastStarted : null;
    return { blocked: { forMs, running: running.filter(isType), lastStarted: last } };
  } catch {
    return {};
  }
}
