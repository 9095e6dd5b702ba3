import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { requirePromises } from "../support/broken-promise.js";
import { TestStage } from "../support/cluster.js";
import { depth } from "../support/depth.js";
import { printFigures } from "../support/figures.js";
import { cutByPlace, expectCut, type KilledTask, KILLS_OF_A_WAVE, KillWaves } from "./kill-waves.js";
import { type StepEvidence, stepFaultsOf } from "./step-accounts.js";
import type { Note } from "./step-records.js";
import { walkFaultsOf } from "./walk-accounts.js";

/** `node test/runner/run-tests.mjs --whole faults -- once` cuts 340 executions and more in 20 kills. */
const WAVES = depth({ sample: 1, whole: 10 });
const AT_ROW = 4;
const STEPPING = {
  type: "stepping",
  places: [
    "effect",
    "effect",
    "effect",
    "effect",
    "effect",
    "released commit",
    "kept commit",
    "answer",
    "checkpoint",
    "end",
  ],
  rows: 6,
  manyRows: 80,
  payload: { at: AT_ROW },
};
const PAGE = 3;
const WALKING = {
  type: "walking",
  places: ["page", "page", "released commit", "kept commit", "behind", "behind", "end"],
  // Five pages; it stands still about the second one.
  rows: 5 * PAGE,
  manyRows: 80 * PAGE,
  payload: { at: 2 * PAGE, page: PAGE },
};

const stage = new TestStage();
let waves: KillWaves;

beforeAll(async () => {
  waves = await KillWaves.open(stage, [STEPPING, WALKING]);
});
afterAll(() => stage.stop());

function tellSteps(tasks: readonly KilledTask[], evidence: readonly StepEvidence[]): void {
  const notes = evidence.flatMap((one) => one.notes);
  const count = (is: (note: Note) => boolean): number => notes.filter(is).length;
  const written = (place: string): number =>
    tasks.filter(({ id, place: its }) => {
      const effects = evidence.find((one) => one.id === id)!.effects;
      return its === place && effects.some(({ step, fence }) => step === `row ${AT_ROW}` && fence === 1);
    }).length;
  printFigures("steps under kill -9", {
    kills: WAVES * KILLS_OF_A_WAVE,
    executions: tasks.length,
    cut: cutByPlace(tasks, evidence),
    workedAgain: count(({ what }) => what === "works") - evidence.flatMap((one) => one.effects).length,
    storedResults: count(({ what, fence, value }) => what === "answered" && value! < fence),
    begunAtCheckpoint: count(({ what, value }) => what === "began" && value! > 0),
    commitsAfterDeath: { released: written("released commit"), kept: written("kept commit") },
  });
}

/** Behind which rows the executions after the first one began, by the place where that was cut. */
function wentOn(tasks: readonly KilledTask[], evidence: readonly StepEvidence[]): Record<string, number[]> {
  const rows: Record<string, number[]> = {};
  for (const [index, { place }] of tasks.entries()) {
    const again = evidence[index]!.notes.filter(({ what, fence }) => what === "began" && fence > 1);
    const [next] = again.toSorted((one, other) => one.fence - other.fence);
    if (next) rows[place] = [...new Set([...(rows[place] ?? []), next.value!])];
  }
  return rows;
}

function expectSteps(tasks: readonly KilledTask[], evidence: readonly StepEvidence[]): void {
  tellSteps(tasks, evidence);
  requirePromises(evidence.flatMap(stepFaultsOf));
  expectCut(tasks, evidence, WAVES * KILLS_OF_A_WAVE * STEPPING.places.length);
}

function expectWalks(tasks: readonly KilledTask[], evidence: readonly StepEvidence[]): void {
  const wentOnBehindRow = wentOn(tasks, evidence);
  const figures = { walks: tasks.length, cut: cutByPlace(tasks, evidence), wentOnBehindRow };
  printFigures("walks under kill -9", figures);
  requirePromises(evidence.flatMap(walkFaultsOf));
  expectCut(tasks, evidence, WAVES * KILLS_OF_A_WAVE * WALKING.places.length);
  // A page that was not committed is done again; one that was is not, though nobody heard of it.
  const before = [PAGE];
  const after = [2 * PAGE];
  expect(wentOnBehindRow).toMatchObject({ page: before, "released commit": after, behind: after, end: [5 * PAGE] });
}

test("each step and each page of a handler counts once, and the next attempt goes on behind them, wherever kill -9 meets it", async () => {
  const tasks = await waves.run(WAVES);
  const of = (type: string): KilledTask[] => tasks.filter((task) => task.type === type);
  const steps = of(STEPPING.type);
  const walks = of(WALKING.type);
  expectSteps(steps, await waves.evidenceOf(steps));
  expectWalks(walks, await waves.evidenceOf(walks));
});
