/** At most this many locked names are waited for; then the whole write is tried again. */
export const MAX_FOUND = 16;

interface Group {
  readonly names: readonly string[];
  isHeld: boolean;
  /** The other half: where this one is free, that one is held. */
  readonly other?: Group;
}

/**
 * Which of many names somebody holds, by probes of several names at once: halves of what is held, until single names
 * are left. For one held name of n that is log2(n) probes of n names in all.
 *
 * @example
 * for (let names = search.next(); names; names = search.next()) search.tell(await isAnyHeld(names));
 * search.held
 */
export class LockedKeySearch {
  readonly held: string[] = [];
  private readonly groups: Group[];

  /** @param names somebody was seen to hold one of them at least */
  constructor(names: readonly string[]) {
    this.groups = [{ names, isHeld: true }];
  }

  /** The names that are to be probed next; null: the search is over. */
  next(): readonly string[] | null {
    while (this.groups.length > 0 && this.held.length < MAX_FOUND) {
      const group = this.groups.at(-1)!;
      if (!group.isHeld) return group.names;
      this.groups.pop();
      if (group.names.length === 1) this.held.push(group.names[0]!);
      else this.groups.push(...halvesOf(group));
    }
    return null;
  }

  /** What the probe of `next` has shown. */
  tell(isHeld: boolean): void {
    const group = this.groups.at(-1)!;
    if (isHeld) group.isHeld = true;
    else {
      this.groups.pop();
      if (group.other) group.other.isHeld = true;
    }
  }
}

/** The second, and above it the first, which is probed first. */
function halvesOf({ names }: Group): [Group, Group] {
  const middle = Math.ceil(names.length / 2);
  const second: Group = { names: names.slice(middle), isHeld: false };
  return [second, { names: names.slice(0, middle), isHeld: false, other: second }];
}
