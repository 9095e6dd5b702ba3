import { describe, expect, test } from "@jest/globals";
import { ManualClock } from "../system/manual-clock.js";
import { MemoryClusterStore } from "../stores/memory-cluster-store.js";
import { MemoryDatabase } from "./memory-database.js";
import type { MemoryTransaction } from "./memory-transaction.js";
import type { StatementFailure } from "./statement-failure.js";
import { ONLY_ROW } from "./tables.js";

const ORIGIN = { node: "test", statement: "keepTerm", request: null } as const;

function stage() {
  const clock = new ManualClock();
  const database = new MemoryDatabase({ clock, keepsVersions: true });
  /** Raises the term's beat in an open transaction, which then holds the term's row. */
  const raise = (within: MemoryTransaction): Promise<unknown> =>
    database.execute(
      ORIGIN,
      ({ terms }) =>
        terms.update(
          ONLY_ROW,
          () => true,
          (term) => ({ ...term, beat: term.beat + 1 }),
        ),
      within,
    );
  return { clock, database, raise };
}

async function whyOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "done",
    (error: unknown) => (error as StatementFailure).why,
  );
}

describe("a transaction of a memory database", () => {
  test("a transaction of a memory database waits for another's row only until its lock time-out", async () => {
    const { clock, database, raise } = stage();
    const holder = database.begin("a");
    const hasty = database.begin("b", { lockTimeoutMs: 50 });
    await raise(holder);
    const waiting = whyOf(raise(hasty));
    await clock.settle();
    expect(database.waiting).toBe(1);
    await clock.advance(50);
    expect(await waiting).toBe("lock-timeout");
  });

  test("a transaction of a memory database fails with a deadlock if it would wait in a circle", async () => {
    const { clock, database, raise } = stage();
    const one = database.begin("a");
    const two = database.begin("b");
    const lockView = (within: MemoryTransaction): Promise<unknown> =>
      database.execute(ORIGIN, ({ views }) => views.lockNewest(ONLY_ROW), within);
    await raise(one);
    await lockView(two);
    const waiting = whyOf(raise(two));
    await clock.settle();
    expect(await whyOf(lockView(one))).toBe("deadlock");
    database.end(one);
    expect(await waiting).toBe("done");
  });

  test("a transaction of a memory database ends after its statement if its client is gone, and by itself if idle for too long", async () => {
    const { clock, database, raise } = stage();
    const gone = database.begin("a");
    const idle = database.begin("b", { idleTimeoutMs: 2_000 });
    await raise(gone);
    const waiting = raise(idle);
    await clock.settle();
    database.hangUp(gone);
    await waiting;
    expect([gone.isOpen, idle.isOpen, database.cluster.term.beat]).toEqual([false, true, 0]);
    await clock.advance(2_000);
    expect([idle.isOpen, await whyOf(raise(idle))]).toEqual([false, "terminated"]);
  });

  test("a transaction of a memory database ends when the sessions of its name are terminated, or when the server stops", async () => {
    const { database, raise } = stage();
    const one = database.begin("a");
    const two = database.begin("b");
    await raise(one);
    database.terminate("a");
    expect([one.isOpen, two.isOpen]).toEqual([false, true]);
    database.stop();
    expect([two.isOpen, database.isUp]).toEqual([false, false]);
  });
});

describe("a promoted standby", () => {
  test("a promoted standby has all commits up to the kept one, and goes on as another timeline", async () => {
    const { database } = stage();
    const cluster = new MemoryClusterStore(database.connect("node"));
    const taken = await cluster.takeTerm("1", { term: 0, holder: null, beat: 0 });
    const kept = database.commits;
    await cluster.keepTerm(taken!);
    await cluster.clearTerm(taken!);
    expect(database.cluster.term).toEqual({ term: 1, holder: null, beat: 1 });
    database.promote(kept);
    expect([database.cluster.term, database.timeline]).toEqual([{ term: 1, holder: "1", beat: 0 }, 2]);
    expect(await cluster.keepTerm(taken!)).toBe(true);
  });

  test("a promoted standby needs a database that keeps its versions", () => {
    expect(() => new MemoryDatabase({ clock: new ManualClock() }).promote(0)).toThrow(RangeError);
  });
});
