/** A map of fewer entries is made anew no more often than after so many removals. */
const MIN_REMOVALS = 64;

/**
 * A map whose entries come and go by the thousand a second, and whose past the garbage collector forgets at once.
 *
 * V8 moves a `Map` that sees many removals to a new table again and again, and each table it leaves goes on pointing to
 * the next and to what it held. Once one of them has lived long enough for the old generation (a quiet second is
 * enough), all that follow are kept alive by a dead one: every entry survives every minor collection, until a major one
 * comes. Measured: four times the collector's time, pauses of ten milliseconds where there were half of one. So this
 * one copies itself to a new `Map` about once per as many removals as it has entries; no table leads to that.
 *
 * @example
 * const running = new ShrinkingMap<string, Execution>();
 * running.set("a", execution); // and get, has, delete, keys, values, size, as of a Map
 */
export class ShrinkingMap<Key, Value> {
  private entries = new Map<Key, Value>();
  private removals = 0;

  get size(): number {
    return this.entries.size;
  }

  get(key: Key): Value | undefined {
    return this.entries.get(key);
  }

  has(key: Key): boolean {
    return this.entries.has(key);
  }

  set(key: Key, value: Value): void {
    this.entries.set(key, value);
  }

  delete(key: Key): void {
    if (!this.entries.delete(key) || ++this.removals < this.entries.size + MIN_REMOVALS) return;
    this.entries = new Map(this.entries);
    this.removals = 0;
  }

  clear(): void {
    this.entries = new Map();
    this.removals = 0;
  }

  /**
   * In the order of their coming. What is removed while this is walked through may still come, and what is added may
   * not.
   */
  keys(): IterableIterator<Key> {
    return this.entries.keys();
  }

  /** As {@link keys}. */
  values(): IterableIterator<Value> {
    return this.entries.values();
  }
}
