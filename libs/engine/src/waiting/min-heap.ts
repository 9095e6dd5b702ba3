/** A binary heap: the first in the order of `precedes` comes out first. `push` and `pop` O(log n). */
export class MinHeap<T> {
  private readonly items: T[] = [];

  constructor(private readonly precedes: (a: T, b: T) => boolean) {}

  get size(): number {
    return this.items.length;
  }

  /** Everything, in no order. */
  all(): readonly T[] {
    return this.items;
  }

  peek(): T | undefined {
    return this.items[0];
  }

  push(item: T): void {
    let place = this.items.length;
    this.items.push(item);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!this.precedes(item, this.items[parent]!)) break;
      this.items[place] = this.items[parent]!;
      place = parent;
    }
    this.items[place] = item;
  }

  pop(): T | undefined {
    const first = this.items[0];
    const last = this.items.pop();
    if (last !== undefined && this.items.length > 0) this.siftDown(last);
    return first;
  }

  /** Takes everything, in no order. */
  clear(): T[] {
    return this.items.splice(0);
  }

  private siftDown(item: T): void {
    const { items } = this;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.precedes(items[child + 1]!, items[child]!)) child++;
      if (!this.precedes(items[child]!, item)) break;
      items[place] = items[child]!;
      place = child;
    }
    items[place] = item;
  }
}
