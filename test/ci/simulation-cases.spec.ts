import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import type { Plan } from "../simulation/src/plan.js";
import { brokenRules, runPlan } from "../simulation/src/run-plan.js";
import { storyOf } from "../simulation/src/story.js";
import { promised } from "../support/broken-promise.js";

const CASES = join(import.meta.dirname, "../simulation/cases");

describe("what once went wrong", () => {
  test.each(readdirSync(CASES))("the case %s of the simulation, which once went wrong, goes well", async (name) => {
    const plan = JSON.parse(readFileSync(join(CASES, name), "utf8")) as Plan;
    const result = await runPlan(plan);
    promised(() => expect({ broken: brokenRules(result), story: storyOf(result) }).toMatchObject({ broken: [] }));
  });
});
