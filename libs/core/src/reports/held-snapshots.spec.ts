import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  MOST_SNAPSHOTS_TOLD,
  SNAPSHOT_HELD_AFTER_MS,
  type SnapshotHolder,
  snapshotsHeld,
  type SeenHolds,
} from "./held-snapshots.js";

const NOW = 1_800_000_000_000;

function holder(changes: Partial<SnapshotHolder> = {}): SnapshotHolder {
  return {
    kind: "session",
    name: "4711",
    horizon: "700",
    transactions: 9,
    since: null,
    isActive: null,
    application: "report",
    user: "analyst",
    state: "idle in transaction",
    query: "SELECT 1",
    ...changes,
  };
}

function heldAt(at: number, holders: SnapshotHolder[], seen?: SeenHolds) {
  return snapshotsHeld({ at, deadRows: 5, holders }, seen);
}

describe("a held snapshot", () => {
  test("a held snapshot is told from ten minutes on, by the time that Postgres tells", () => {
    const since = NOW - SNAPSHOT_HELD_AFTER_MS;
    expect(heldAt(NOW, [holder({ since: since + 1 })]).held).toEqual([]);
    expect(heldAt(NOW, [holder({ since })]).held).toEqual([{ ...holder({ since }), deadRows: 5 }]);
  });

  test("a held snapshot is told from when it was first seen, where Postgres tells no time", () => {
    const slot = holder({ kind: "slot", name: "standby_a", isActive: false });
    const first = heldAt(NOW, [slot]);
    expect(first.held).toEqual([]);
    expect(heldAt(NOW + SNAPSHOT_HELD_AFTER_MS, [slot], first.seen).held).toMatchObject([{ since: NOW }]);
  });

  test("a held snapshot counts from when it was first seen, where a transaction begins one short statement after the other", () => {
    const first = heldAt(NOW, [holder({ since: NOW - 1 })]);
    const later = NOW + SNAPSHOT_HELD_AFTER_MS;
    expect(heldAt(later, [holder({ since: later - 1 })], first.seen).held).toMatchObject([{ since: NOW - 1 }]);
  });

  test("a held snapshot begins anew when its holder holds something younger, or let it go in between", () => {
    const first = heldAt(NOW, [holder()]);
    const later = NOW + SNAPSHOT_HELD_AFTER_MS;
    expect(heldAt(later, [holder({ horizon: "701" })], first.seen).held).toEqual([]);
    const gone = heldAt(NOW + 60_000, [], first.seen);
    expect(heldAt(later, [holder()], gone.seen).held).toEqual([]);
  });

  test("a held snapshot is never told before its time, and no more of them than a person reads", () => {
    const holders = fc.uniqueArray(
      fc.record({ name: fc.nat(20).map(String), since: fc.option(fc.integer({ min: NOW - 2e6, max: NOW })) }),
      { selector: ({ name }) => name },
    );
    fc.assert(
      fc.property(fc.array(holders, { maxLength: 8 }), fc.nat(400_000), (looks, everyMs) => {
        let seen: SeenHolds = new Map();
        for (const [n, look] of looks.entries()) {
          const at = NOW + n * everyMs;
          const told = heldAt(at, look.map(holder), seen);
          expect(told.held.length).toBeLessThanOrEqual(MOST_SNAPSHOTS_TOLD);
          for (const { since } of told.held) expect(at - since).toBeGreaterThanOrEqual(SNAPSHOT_HELD_AFTER_MS);
          expect(told.seen.size).toBe(look.length);
          seen = told.seen;
        }
      }),
    );
  });
});
