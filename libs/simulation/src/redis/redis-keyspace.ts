import type { SkewedTime } from "../time/skewed-time.js";

/** So far back writes can be undone, milliseconds of the virtual time. */
const UNDO_LIMIT_MS = 60_000;

interface Held {
  value: unknown;
  untilMs: number;
}

interface Write {
  atMs: number;
  key: string;
  before: Held | undefined;
}

/**
 * The keys of a Redis. Each has a value, which is never changed in place, and a time to live by the server's own clock:
 * a step of that clock makes keys expire too early or too late. The last writes can be undone, as a failover to a
 * replica that lagged does.
 */
export class RedisKeyspace {
  private readonly keys = new Map<string, Held>();
  private writes: Write[] = [];

  /**
   * @param clock the server's own
   * @param nowMs the virtual time, which tells how old a write is
   */
  constructor(
    private readonly clock: SkewedTime,
    private readonly nowMs: () => number,
  ) {}

  /** Undefined: there is no such key, or it has expired. */
  get(key: string): unknown {
    const held = this.keys.get(key);
    return held !== undefined && held.untilMs > this.clock.nowMs() ? held.value : undefined;
  }

  /** Those that have not expired. */
  names(): string[] {
    return [...this.keys.keys()].filter((key) => this.get(key) !== undefined);
  }

  set(key: string, value: unknown, ttlMs: number): void {
    this.write(key, { value, untilMs: this.clock.nowMs() + ttlMs });
  }

  /** Another value for a key that is there; its time to live stays. */
  replace(key: string, value: unknown): void {
    const held = this.keys.get(key);
    if (held !== undefined) this.write(key, { value, untilMs: held.untilMs });
  }

  delete(key: string): void {
    if (this.keys.has(key)) this.write(key, undefined);
  }

  clear(): void {
    for (const key of Array.from(this.keys.keys())) this.write(key, undefined);
  }

  /** Takes back what was written in the last `lastMs` milliseconds; Infinity: all that ever was. */
  forget(lastMs: number): void {
    const fromMs = this.nowMs() - lastMs;
    for (let last = this.writes.at(-1); last !== undefined && last.atMs > fromMs; last = this.writes.at(-1)) {
      this.writes.pop();
      this.put(last.key, last.before);
    }
    if (lastMs > UNDO_LIMIT_MS) this.keys.clear();
  }

  private write(key: string, held: Held | undefined): void {
    const atMs = this.nowMs();
    if ((this.writes[0]?.atMs ?? atMs) < atMs - 2 * UNDO_LIMIT_MS) {
      this.writes = this.writes.filter((write) => write.atMs >= atMs - UNDO_LIMIT_MS);
    }
    this.writes.push({ atMs, key, before: this.keys.get(key) });
    this.put(key, held);
  }

  private put(key: string, held: Held | undefined): void {
    if (held === undefined) this.keys.delete(key);
    else this.keys.set(key, held);
  }
}
