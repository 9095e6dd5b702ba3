import type { BlockedLoop, BootId, NodeAnnouncement, NodeBeat, TypeInFlight } from "@tickwheel/core";

/** The names of everything in Redis. The braces are a hash tag: all keys of a cluster live in one slot of a Redis Cluster. */
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
export function fieldsOf({ bootId, beat, vitals }: NodeAnnouncement): Record<string, string> {
  const { leaving, blocked = null, ...numbers } = vitals;
  const texts = Object.entries(numbers).map(([name, value]) => [name, String(value)]);
  const flags = { leaving: leaving ? "1" : "0", blocked: blocked === null ? "" : JSON.stringify(blocked) };
  return { bootId, beat: String(beat), ...flags, ...Object.fromEntries(texts) };
}

/** A node's beat by its hash; null where the hash is gone or is not one of ours. */
export function beatOf(label: string, fields: Readonly<Record<string, string>>): NodeBeat | null {
  const number = (name: string): number => Number(fields[name] ?? 0);
  const { bootId } = fields;
  if (bootId === undefined || !Number.isSafeInteger(number("beat"))) return null;
  return {
    bootId,
    label,
    beat: number("beat"),
    vitals: {
      leaving: fields["leaving"] === "1",
      view: number("view"),
      term: number("term"),
      loopLagMs: number("loopLagMs"),
      clockOffsetMs: number("clockOffsetMs"),
      ownedSlots: number("ownedSlots"),
      wheelSize: number("wheelSize"),
      inFlight: number("inFlight"),
      ...blockedOf(fields["blocked"]),
    },
  };
}

/** Only where there is one, and it can be read: the medium is not trusted. */
function blockedOf(text: string | undefined): Pick<NodeBeat["vitals"], "blocked"> {
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
