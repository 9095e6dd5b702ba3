/** A value's place in a {@link LinkedList}. */
export interface ListEntry<Value> {
  readonly value: Value;
}

interface Link<Value> extends ListEntry<Value> {
  previous: Link<Value> | null;
  next: Link<Value> | null;
  isIn: boolean;
}

/**
 * Values in the order in which they came, each of which can be taken out at once. For what comes and goes with every
 * request: a `Set` has a new table every few of them, and each table that became old memory keeps those after it, with
 * all that is in them, from the fast collector.
 */
export class LinkedList<Value> {
  private first: Link<Value> | null = null;
  private last: Link<Value> | null = null;

  get isEmpty(): boolean {
    return this.first === null;
  }

  /** The value that came first of those in the list; undefined where there is none. */
  get oldest(): Value | undefined {
    return this.first?.value;
  }

  add(value: Value): ListEntry<Value> {
    const link: Link<Value> = { value, previous: this.last, next: null, isIn: true };
    if (this.last) this.last.next = link;
    else this.first = link;
    this.last = link;
    return link;
  }

  /** @returns whether it was still in the list */
  remove(entry: ListEntry<Value>): boolean {
    const link = entry as Link<Value>;
    if (!link.isIn) return false;
    link.isIn = false;
    if (link.previous) link.previous.next = link.next;
    else this.first = link.next;
    if (link.next) link.next.previous = link.previous;
    else this.last = link.previous;
    // Else what was removed would keep its neighbours in memory.
    link.previous = link.next = null;
    return true;
  }

  /** Takes values out from the first one on, while they are to be taken and there are any. */
  *takeWhile(isToBeTaken: (value: Value) => boolean): Generator<Value, void> {
    while (this.first && isToBeTaken(this.first.value)) {
      const link = this.first;
      this.remove(link);
      yield link.value;
    }
  }
}
