import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Revision, Settings } from "@tickwheel/core";
import { Health } from "@tickwheel/coordination";
import { ManualClock, RecordingTelemetry } from "@tickwheel/testing";
import { SettingsInForce } from "./settings-in-force.js";
import { SettingsReader } from "./settings-reader.js";

const at = (number: number, timeline = 1): Revision => ({ timeline, number });

let clock: ManualClock;
let reader: SettingsReader;
let inForce: SettingsInForce;
/** What the store has; null: it does not answer. */
let stored: Settings | null;
let reads: number;
/** What the next reads wait for, in turn, before they answer; none: they answer at once. */
let gates: Promise<void>[];
let told: string[];
/** Lets the node obey. */
let given: () => void;

beforeEach(() => {
  clock = new ManualClock();
  stored = { revision: at(1), types: [], limits: [], pauses: [] };
  reads = 0;
  gates = [];
  told = [];
  given = () => undefined;
  const telemetry = new RecordingTelemetry();
  const dbClock = { earliestMs: () => clock.monotonicMs(), timeUntilDueMs: (due: number) => due - clock.monotonicMs() };
  inForce = new SettingsInForce({ dbClock, typeOf: () => undefined });
  reader = new SettingsReader({
    clock,
    telemetry,
    health: new Health(clock, telemetry),
    dbClock,
    inForce,
    beats: true,
    store: {
      readSettings: async () => {
        reads++;
        await gates.shift();
        if (!stored) throw new Error("away");
        return stored;
      },
    },
    obey: () => new Promise((resolve) => (given = resolve)),
    obeyed: () => void told.push(`obeys ${reader.obeyed?.number}`),
    changed: () => void told.push("changed"),
  });
});

afterEach(() => reader.stop());

/** A beat that was sent this long ago answers a revision. */
const beat = (settings: Revision, agoMs = 0): void =>
  reader.beatGood({ sentMonoMs: clock.monotonicMs() - agoMs, settings });

async function obeying(): Promise<void> {
  await reader.start();
  await clock.advance(1);
  given();
  await clock.advance(1);
}

describe("a node", () => {
  test("a node may start nothing until it has read the settings, and obeys when what was claimed before is given back", async () => {
    expect([reader.isCurrent, reader.obeyed]).toEqual([false, null]);
    await reader.start();
    await clock.advance(1);
    expect([reader.isCurrent, reader.obeyed]).toEqual([true, null]);
    await obeying();
    expect([reader.obeyed, told]).toEqual([at(1), ["changed", "obeys 1"]]);
  });

  test("a node reads no settings while beats answer the revision that it has read", async () => {
    await obeying();
    for (let second = 0; second < 5; second++) {
      beat(at(1));
      await clock.advance(1_000);
    }
    expect(reads).toBe(1);
  });

  test("a node starts nothing from the beat that answers a later revision of the settings until it has read", async () => {
    await obeying();
    stored = null;
    beat(at(2));
    await clock.advance(1_000);
    expect([reader.isCurrent, reads > 2]).toEqual([false, true]);
    stored = { revision: at(2), types: [], limits: [], pauses: [] };
    await clock.advance(300);
    expect([reader.isCurrent, reader.obeyed]).toEqual([true, at(1)]);
    await obeying();
    expect(reader.obeyed).toEqual(at(2));
  });

  test("a node takes an earlier revision for the loss of a change only from a beat sent after its read", async () => {
    stored = { revision: at(3), types: [], limits: [], pauses: [] };
    reader.hinted();
    await obeying();
    await clock.advance(1_000);
    beat(at(2), 5_000);
    expect(reader.isCurrent).toBe(true);
    stored = { revision: at(1, 2), types: [], limits: [], pauses: [] };
    beat(at(1, 2));
    expect(reader.isCurrent).toBe(false);
    await obeying();
    expect([reader.isCurrent, reader.obeyed]).toEqual([true, at(1, 2)]);
    stored = { revision: at(0, 2), types: [], limits: [], pauses: [] };
    await clock.advance(10);
    beat(at(0, 2));
    expect(reader.isCurrent).toBe(false);
  });

  test("a node reads the settings again when it has joined anew, and says until then that it obeys nothing", async () => {
    await obeying();
    reader.reset();
    expect([reader.isCurrent, reader.obeyed]).toEqual([false, null]);
    await obeying();
    expect([reader.isCurrent, reader.obeyed]).toEqual([true, at(1)]);
  });

  test("a node does not say that it obeys settings which a later read has replaced", async () => {
    await reader.start();
    await clock.advance(1);
    const first = given;
    stored = { revision: at(2), types: [], limits: [], pauses: [] };
    beat(at(2));
    await clock.advance(1);
    first();
    await clock.advance(1);
    expect(reader.obeyed).toBeNull();
    await obeying();
    expect(told).toEqual(["changed", "changed", "obeys 2"]);
  });

  test("a node obeys settings read while a beat told of them, though the read for the beat brings nothing new", async () => {
    await obeying();
    stored = { revision: at(2), types: [], limits: [], pauses: [] };
    const answers: (() => void)[] = [];
    gates = [1, 2].map(() => new Promise((resolve) => answers.push(resolve)));
    reader.hinted();
    await clock.advance(1);
    beat(at(2));
    answers[0]!();
    await clock.advance(1);
    given();
    await clock.advance(1);
    expect([reads, reader.isCurrent, reader.obeyed]).toEqual([3, false, at(1)]);
    answers[1]!();
    await clock.advance(1);
    given();
    await clock.advance(1);
    expect([reader.isCurrent, reader.obeyed]).toEqual([true, at(2)]);
  });

  test("a node reads the settings at most ten times a second for messages, from any sender", async () => {
    await obeying();
    for (let message = 0; message < 1_000; message++) {
      reader.hinted();
      await clock.advance(1);
    }
    expect(reads).toBeLessThanOrEqual(12);
    expect(reader.isCurrent).toBe(true);
  });

  test("a node looks at the settings again when a pause ends by itself", async () => {
    const pause = { namespace: "shop", typeId: 1, key: null, pausedAt: 0, until: 90_000, reason: null, pausedBy: "x" };
    stored = { revision: at(2), types: [], limits: [], pauses: [pause] };
    beat(at(2));
    await obeying();
    told = [];
    await clock.advance(80_000);
    expect([inForce.isPaused(1), told.filter((word) => word === "changed").length]).toEqual([true, 0]);
    await clock.advance(10_000);
    expect([inForce.isPaused(1), told.filter((word) => word === "changed").length]).toEqual([false, 1]);
  });

  test("a node looks for no tasks after a read of settings that brings nothing new, but after a read that it stood still for", async () => {
    await obeying();
    told = [];
    await clock.advance(180_000);
    expect([reads, told]).toEqual([4, []]);
    reader.reset();
    await clock.advance(1);
    expect([reads, told]).toEqual([5, ["changed"]]);
  });
});
