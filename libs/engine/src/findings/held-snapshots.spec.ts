import { expect, test } from "@jest/globals";
import { Health } from "@tickwheel/coordination";
import { SNAPSHOT_HELD_AFTER_MS, type SnapshotHolder, type SnapshotReading } from "@tickwheel/core";
import { ManualClock, RecordingTelemetry } from "@tickwheel/testing";
import { HeldSnapshots } from "./held-snapshots.js";

const SLOT: SnapshotHolder = {
  kind: "slot",
  name: "standby_a",
  horizon: "700",
  transactions: 9,
  since: null,
  isActive: false,
  application: null,
  user: null,
  state: null,
  query: null,
};

test("a snapshot is known from ten minutes on until it is let go, also while the store does not answer", async () => {
  const clock = new ManualClock();
  let answer: SnapshotReading | Error = { at: 1_000, deadRows: 1, holders: [SLOT] };
  const looks = new HeldSnapshots(
    { clock, health: new Health(clock, new RecordingTelemetry()) },
    {
      snapshotHolders: async () => {
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
  );
  const known = async (next: typeof answer): Promise<number[]> => {
    answer = next;
    await looks.runOnce();
    return looks.known.map(({ deadRows }) => deadRows);
  };
  expect(await known(answer)).toEqual([]);
  expect(await known({ at: 1_000 + SNAPSHOT_HELD_AFTER_MS, deadRows: 2, holders: [SLOT] })).toEqual([2]);
  expect(await known(new Error("away"))).toEqual([2]);
  expect(await known({ at: 1_001 + SNAPSHOT_HELD_AFTER_MS, deadRows: 3, holders: [] })).toEqual([]);
});
