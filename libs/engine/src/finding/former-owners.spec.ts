import { describe, expect, test } from "@jest/globals";
import { RendezvousOwnership } from "@tickwheel/coordination";
import { newTaskId, slotOfId, type View } from "@tickwheel/core";
import { ManualClock, SeededRandom } from "@tickwheel/testing";
import { FormerOwners } from "./former-owners.js";

const TYPE = 1;
const SELF = "1";
const random = new SeededRandom(5);

/** A node that has seen these views, one after the other, and looks at the beats of the others. */
function scene() {
  const clock = new ManualClock();
  const beatAgesMs = new Map<string, number>();
  const tookOverMs: number[] = [];
  let ownership = new RendezvousOwnership(null, SELF);
  const dbClock = { nowMs: () => 1_000_000 + clock.monotonicMs() };
  const owners = new FormerOwners(
    { clock, dbClock, options: { heartbeatIntervalMs: 1_000 }, meters: { tookOver: (ms) => void tookOverMs.push(ms) } },
    { bootId: SELF, ownership: () => ownership, beats: { beatAgeMs: (bootId) => beatAgesMs.get(bootId) ?? null } },
  );
  const see = (number: number, ...bootIds: string[]): void => {
    const nodes = bootIds.map((bootId) => ({ bootId, label: `node ${bootId}`, typeIds: [TYPE] }));
    ownership = new RendezvousOwnership({ number, term: 1, publishedAt: 0, nodes } as View, SELF);
    owners.viewChanged(ownership);
  };
  /** A task of a slot that this node owned in the view that holds now. */
  const taskOf = (bootId: string) => {
    for (let slot = 0; ; slot++) {
      const id = newTaskId(0, slot, random);
      if (ownership.ownerOf(TYPE, slotOfId(id)) === bootId) return { id, typeId: TYPE };
    }
  };
  return { clock, beatAgesMs, tookOverMs, owners, see, taskOf, now: () => 1_000_000 + clock.monotonicMs() };
}

const mine = { isStolen: false, knownAt: 0 };

describe("a task that was taken over", () => {
  test("a task that was taken over names the node that held it, its last beat, and when it left the view", async () => {
    const { clock, beatAgesMs, tookOverMs, owners, see, taskOf, now } = scene();
    see(1, SELF, "2", "3");
    const ofSelf = taskOf(SELF);
    const ofSecond = taskOf("2");
    const dueAt = now();
    await clock.advance(3_200);
    beatAgesMs.set("2", 3_400);
    see(2, SELF, "3");
    const takenFrom = { node: "node 2", silentSince: now() - 3_400, takenOverAt: now() };
    expect(tookOverMs).toEqual([3_400]);
    await clock.advance(5_000);
    expect(["2", "3"].map((bootId) => owners.fellSilent(bootId))).toEqual([true, false]);
    expect(owners.takenFrom({ ...ofSecond, ...mine, dueAt })).toEqual(takenFrom);
    expect(owners.takenFrom({ ...ofSelf, ...mine, dueAt })).toBeNull();
    // It became due when this node owned it already.
    expect(owners.takenFrom({ ...ofSecond, ...mine, dueAt: now() })).toBeNull();
  });

  test("a task that was taken over tells of no silence where its node left in order", () => {
    const { beatAgesMs, owners, see, taskOf, now } = scene();
    see(1, SELF, "2");
    const task = taskOf("2");
    beatAgesMs.set("2", 400);
    see(2, SELF);
    expect(owners.takenFrom({ ...task, ...mine, dueAt: now() })).toMatchObject({ node: "node 2", silentSince: null });
  });

  test("a task that was taken over names its present owner where this node took it because it was overdue", () => {
    const { beatAgesMs, owners, see, taskOf, now } = scene();
    see(1, SELF, "2");
    const task = { ...taskOf("2"), dueAt: now(), isStolen: true, knownAt: now() + 1_600.4 };
    expect(owners.takenFrom(task)).toEqual({ node: "node 2", silentSince: null, takenOverAt: now() + 1_600 });
    beatAgesMs.set("2", 2_500);
    expect(owners.takenFrom(task)?.silentSince).toBe(now() - 2_500);
    expect(owners.takenFrom({ ...task, ...taskOf(SELF) })).toBeNull();
  });

  test("a former owner is not named after ten minutes, and a bounded number of departures is remembered", async () => {
    const { clock, owners, see, taskOf, now } = scene();
    see(1, SELF, "2");
    const task = { ...taskOf("2"), ...mine, dueAt: now() };
    see(2, SELF);
    expect(owners.takenFrom(task)).not.toBeNull();
    for (let other = 0; other < 16; other++) {
      see(3 + 2 * other, SELF, "3");
      see(4 + 2 * other, SELF);
    }
    expect(owners.takenFrom(task)).toBeNull();
    see(90, SELF, "2");
    const again = { ...taskOf("2"), ...mine, dueAt: now() };
    see(91, SELF);
    await clock.advance(600_001);
    expect(owners.takenFrom(again)).toBeNull();
  });
});
