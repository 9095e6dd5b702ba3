import { LinkedList, type ListEntry } from "@tickwheel/api";

/**
 * Who gives way when there are too many: from the first kind to the last, and of each kind who has been of it for
 * longest.
 */
const KINDS = ["idle without a key", "busy without a key", "idle with a key"] as const;
type Kind = (typeof KINDS)[number];

/** A connection, as far as it counts: idle is one without a request in progress, also one that never sent any. */
export interface Connection {
  readonly isBusy: boolean;
  /** Whether a valid key was shown on it. */
  readonly hasKey: boolean;
}

/**
 * The connections of a server, or of one address, up to a number. Beyond that the one that is needed least gives way; a
 * busy one with a key never does. Each step costs the same, however many there are.
 */
export class ConnectionCrowd<Member extends Connection> {
  private readonly places = new Map<Member, { kind: Kind; entry: ListEntry<Member> } | null>();
  private readonly lists = Object.fromEntries(KINDS.map((kind) => [kind, new LinkedList<Member>()])) as Record<
    Kind,
    LinkedList<Member>
  >;

  constructor(private readonly most: number) {}

  get isEmpty(): boolean {
    return this.places.size === 0;
  }

  get isTooLarge(): boolean {
    return this.places.size > this.most;
  }

  add(member: Member): void {
    this.places.set(member, null);
    this.changed(member);
  }

  /** To be called when it became busy or idle; that it has shown a key is looked at when that matters. */
  changed(member: Member): void {
    const place = this.places.get(member);
    if (place === undefined) return;
    if (place) this.lists[place.kind].remove(place.entry);
    const kind = kindOf(member);
    this.places.set(member, kind && { kind, entry: this.lists[kind].add(member) });
  }

  remove(member: Member): void {
    const place = this.places.get(member);
    if (place) this.lists[place.kind].remove(place.entry);
    this.places.delete(member);
  }

  /** Who is to give way to others than `newcomer`; undefined where nobody is. */
  leastNeeded(newcomer: Member): Member | undefined {
    for (const kind of KINDS) {
      const member = this.oldest(kind, newcomer);
      if (member) return member;
    }
    return undefined;
  }

  private oldest(kind: Kind, newcomer: Member): Member | undefined {
    for (;;) {
      const { oldest } = this.lists[kind];
      if (oldest === undefined || oldest === newcomer) return undefined;
      if (kindOf(oldest) === kind) return oldest;
      this.changed(oldest);
    }
  }
}

/** Null: it gives way to nobody. */
function kindOf({ isBusy, hasKey }: Connection): Kind | null {
  if (hasKey) return isBusy ? null : "idle with a key";
  return isBusy ? "busy without a key" : "idle without a key";
}
