import { beforeAll, describe, expect, test } from "@jest/globals";
import {
  type MutantVerdict,
  runSimulationMutants,
  simulationMutants,
} from "../simulation/mutants/simulation-mutants.mjs";
import { depth } from "../support/depth.js";

/** Those of the sample are found by some of the first seeds. */
const MUTANTS = depth<readonly string[]>({
  sample: ["claim-raises-no-fence", "start-by-own-clock", "completion-without-guard"],
  whole: simulationMutants,
});
const MOST_SEEDS = depth({ sample: 1_000, whole: 5_000 });

describe("mutants of the simulation", () => {
  let verdicts: MutantVerdict[];

  beforeAll(async () => {
    verdicts = await runSimulationMutants({ only: [...MUTANTS], seeds: MOST_SEEDS });
  });

  test.each([...MUTANTS])("the mutant %s of the simulation is found", (name) => {
    expect(verdicts.find(({ mutant }) => mutant === name)).toMatchObject({ asExpected: true });
  });

  test("the seeds that find the simulation's mutants find nothing where nothing is changed", () => {
    expect(verdicts.at(-1)).toMatchObject({ mutant: null, asExpected: true, rules: [] });
  });

  test("the mutants of the simulation are thirty-five", () => {
    expect(simulationMutants).toHaveLength(35);
  });
});

describe("a fault that is no mutant", () => {
  test("a fault that is no mutant of the simulation is not found", async () => {
    const [verdict] = await runSimulationMutants({ only: ["../unchanged"], seeds: 1 });
    expect(verdict).toMatchObject({ asExpected: false, told: "NOT FOUND", seeds: 1 });
  });
});
