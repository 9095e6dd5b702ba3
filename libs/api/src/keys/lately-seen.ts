import type { Clock } from "@tickwheel/core";

interface Seen<Value> {
  value: Value;
  atMonoMs: number;
}

/**
 * What was seen of hashes not long ago, for an outage in which nobody can be asked. Bounded: what was seen longest ago
 * goes first.
 */
export class LatelySeen<Value> {
  /** What was seen last at the end. */
  private readonly byHash = new Map<string, Seen<Value>>();

  constructor(
    private readonly clock: Pick<Clock, "monotonicMs">,
    private readonly limits: { most: number; forMs: number },
  ) {}

  /** Null: it was not seen within that time. */
  of(hash: string): Value | null {
    const seen = this.byHash.get(hash);
    return seen && this.clock.monotonicMs() - seen.atMonoMs < this.limits.forMs ? seen.value : null;
  }

  see(hash: string, value: Value): void {
    this.byHash.delete(hash);
    if (this.byHash.size >= this.limits.most) this.byHash.delete(this.byHash.keys().next().value!);
    this.byHash.set(hash, { value, atMonoMs: this.clock.monotonicMs() });
  }

  forget(hash: string): void {
    this.byHash.delete(hash);
  }
}
