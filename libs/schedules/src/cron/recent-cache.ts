/**
 * Keeps what was made for the keys used last, at most `size` of them, so that inputs from outside cannot make it grow.
 * A look costs two steps of a `Map`. What the maker throws is not kept.
 */
export class RecentCache<Value> {
  private readonly entries = new Map<string, Value>();

  constructor(
    private readonly size: number,
    private readonly make: (key: string) => Value,
  ) {}

  get(key: string): Value {
    const known = this.entries.get(key);
    if (known !== undefined) {
      this.entries.delete(key);
      this.entries.set(key, known);
      return known;
    }
    const made = this.make(key);
    this.entries.set(key, made);
    if (this.entries.size > this.size) this.entries.delete(this.entries.keys().next().value!);
    return made;
  }
}
