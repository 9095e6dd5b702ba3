import { beforeEach, expect, test } from "@jest/globals";
import type { LimitState } from "@tickwheel/core";
import { Health } from "@tickwheel/coordination";
import { ManualClock, RecordingTelemetry } from "@tickwheel/testing";
import { limitOf, limitsOf } from "../../test-support/cluster-limits.js";
import { LimitLevels } from "./limit-levels.js";

const MAIL = 1;
const EXPORT = 2;
const LIMITS = [
  limitOf(7, MAIL, { maxRunning: 5 }),
  limitOf(8, EXPORT, { rate: { count: 1, perMs: 1_000, burst: 1 } }),
];

let clock: ManualClock;
let states: LimitState[];
let reads: number;
let limits: typeof LIMITS;
let levels: LimitLevels;

beforeEach(() => {
  clock = new ManualClock();
  [states, reads, limits] = [[], 0, LIMITS];
  levels = new LimitLevels({
    clock,
    health: new Health(clock, new RecordingTelemetry()),
    store: { readLimits: async () => (reads++, states) },
    limits: () => limits,
    limitsOf: limitsOf(...LIMITS),
  });
});

async function look(running: number, tokens: number): Promise<void> {
  states = [
    { id: 7, running, tokens: null },
    { id: 8, running: null, tokens },
  ];
  await levels.runOnce();
}

test("no level of a limit is read where nothing is limited", async () => {
  limits = [];
  await levels.runOnce();
  expect([reads, levels.scene(), levels.fullLimitOf(MAIL)]).toEqual([0, [], null]);
});

test("a type waits for its limit while all places, or all tokens, are taken", async () => {
  await look(4, 1);
  expect([levels.fullLimitOf(MAIL), levels.fullLimitOf(EXPORT)]).toEqual([null, null]);
  await look(5, 0);
  expect(levels.fullLimitOf(MAIL)).toEqual({ of: "TYPE", maxRunning: 5, running: 5, rate: null });
  expect(levels.fullLimitOf(EXPORT)).toMatchObject({ maxRunning: null, running: null, rate: { count: 1 } });
});

test("a limit stays full for ten seconds after it was seen so, as it is not for a moment between two tasks", async () => {
  await look(5, 1);
  await clock.advance(9_999);
  await look(4, 1);
  expect(levels.scene()).toMatchObject([
    { id: 7, running: 4, fullForMs: 9_999 },
    { id: 8, fullForMs: null },
  ]);
  await clock.advance(1);
  await look(4, 1);
  expect([levels.fullLimitOf(MAIL), levels.read().get(7)]).toMatchObject([null, { running: 4 }]);
});
