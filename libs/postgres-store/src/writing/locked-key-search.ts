/** At most this many locked names are waited for; then the whole write is tried again. */
export const MAX_FOUND = 16;

interface Group {
  readonly names: readonly string[];
  isHeld: boolean;
  /** The other half: if this half is free, that one is locked. */
  readonly other?: Group;
}

/**
 * Finds out which of many names are locked by probing several names at once: a locked group is halved until single
 * names are left. To find one locked name of n takes log2(n) probes, with n names in all of them together.
 *
 * @example
 * for (let names = search.next(); names; names = search.next()) search.tell(await isAnyHeld(names));
 * search.held
 */
export class LockedKeySearch {
  readonly held: string[] = [];
  private readonly groups: Group[];

  /** @param names at least one of them was seen to be locked */
  constructor(names: readonly string[]) {
    this.groups = [{ names, isHeld: true }];
  }

  /** The names to probe next; null: the search is over. */
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

  /** Takes the result of the probe of the names from `next`. */
  tell(isHeld: boolean): void {
    const group = this.groups.at(-1)!;
    if (isHeld) group.isHeld = true;
    else {
      this.groups.pop();
      if (group.other) group.other.isHeld = true;
    }
  }
}

/** The second half, then the first half: the last of the stack is probed first. */
function halvesOf({ names }: Group): [Group, Group] {
  const middle = Math.ceil(names.length / 2);
  const second: Group = { names: names.slice(middle), isHeld: false };
  return [second, { names: names.slice(0, middle), isHeld: false, other: second }];
}
