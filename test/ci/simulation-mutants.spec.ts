import { beforeAll, describe, expect, test } from "@jest/globals";
import {
  type MutantVerdict,
  runSimulationMutants,
  simulationMutants,
} from "../simulation/mutants/simulation-mutants.mjs";

/** Which some of the first seeds find. `npm run mutants` judges all. */
const QUICKLY_FOUND = ["claim-raises-no-fence", "start-by-own-clock", "guard-with-lower-bound"];

describe("mutants of the simulation", () => {
  let verdicts: MutantVerdict[];

  beforeAll(async () => {
    verdicts = await runSimulationMutants({ only: QUICKLY_FOUND, seeds: 1_000 });
  });

  test.each(QUICKLY_FOUND)("%s is found", (name) => {
    expect(verdicts.find(({ mutant }) => mutant === name)).toMatchObject({ asExpected: true });
  });

  test("the same seeds find nothing where nothing is changed", () => {
    expect(verdicts.at(-1)).toMatchObject({ mutant: null, asExpected: true, rules: [] });
  });

  test("are twenty-two", () => {
    expect(simulationMutants).toHaveLength(22);
  });
});

describe("what is no mutant", () => {
  test("is not found", async () => {
    const [verdict] = await runSimulationMutants({ only: ["../unchanged"], seeds: 1 });
    expect(verdict).toMatchObject({ asExpected: false, told: "NOT FOUND", seeds: 1 });
  });
});
