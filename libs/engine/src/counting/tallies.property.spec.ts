import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { Tallies } from "./tallies.js";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** When the store closes a minute in doubt, and when it counts it, after its end. */
const CLOSED_AFTER_MS = 30 * SECOND_MS;
const COUNTED_AFTER_MS = 40 * SECOND_MS;
const minuteOf = (at: number): number => Math.floor(at / MINUTE_MS) * MINUTE_MS;

/** The rows and the counters of a store, as its statements keep them. */
class Store {
  readonly rows: number[] = [];
  private tallies: { at: number; succeeded: number }[] = [];
  private readonly doubts = new Map<number, "open" | "closed" | "counted">();

  get counted(): number {
    return this.tallies.reduce((sum, { succeeded }) => sum + succeeded, 0);
  }

  append({ tallies, doubts }: ReturnType<Tallies["take"]>): void {
    for (const minute of doubts) if (!this.doubts.has(minute)) this.doubts.set(minute, "open");
    const isOpen = (at: number): boolean => (this.doubts.get(minuteOf(at)) ?? "open") === "open";
    this.tallies.push(...tallies.filter(({ at }) => isOpen(at)));
  }

  keep(now: number): void {
    for (const [minute, state] of this.doubts) {
      const ageMs = now - minute - MINUTE_MS;
      if (state === "open" && ageMs > CLOSED_AFTER_MS) this.doubts.set(minute, "closed");
      if (state !== "closed" || ageMs <= COUNTED_AFTER_MS) continue;
      const succeeded = this.rows.filter((at) => minuteOf(at) === minute).length;
      this.tallies = [...this.tallies.filter(({ at }) => minuteOf(at) !== minute), { at: minute, succeeded }];
      this.doubts.set(minute, "counted");
    }
  }
}

/**
 * Ends of tasks: when they are sent, how long until the row is written, and how long until its reply comes, if ever.
 */
const end = fc.record({
  sentAt: fc.integer({ min: 0, max: 6 * MINUTE_MS }),
  takesMs: fc.integer({ min: 0, max: 5 * SECOND_MS }),
  repliedAfterMs: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 4 * MINUTE_MS })),
  /** Sent again, the end is stale. */
  isReplyLost: fc.boolean(),
});
type End = typeof end extends fc.Arbitrary<infer T> ? T : never;

/** Other counters, which cannot tell about a minute. */
const strangers = fc.array(fc.integer({ min: 0, max: 10 * MINUTE_MS }), { maxLength: 6 });

test("the counts equal the rows when all is at rest, however late replies come and whichever minutes are counted anew", () => {
  fc.assert(
    fc.property(fc.array(end, { maxLength: 30 }), strangers, (ends, doubtedAt) => {
      const store = new Store();
      const tallies = new Tallies();
      const isAt = (at: number, now: number): boolean => at > now - SECOND_MS && at <= now;
      for (let now = 0; now < 15 * MINUTE_MS; now += SECOND_MS) {
        const writtenAt = (one: End): number => one.sentAt + one.takesMs;
        for (const one of ends.filter((each) => isAt(writtenAt(each), now))) store.rows.push(writtenAt(one));
        for (const one of ends.filter((each) => isAt(writtenAt(each) + each.repliedAfterMs, now))) {
          if (one.isReplyLost) tallies.doubt(one.sentAt, now);
          else tallies.succeeded(1, writtenAt(one));
        }
        const doubts = doubtedAt.filter((at) => isAt(at, now)).map(minuteOf);
        store.append({ tallies: [], doubts });
        store.append(tallies.take(now));
        store.keep(now);
      }
      expect(store.counted).toBe(ends.length);
    }),
  );
});
