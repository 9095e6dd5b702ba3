import { describe, expect, test } from "@jest/globals";
import { drawPlan } from "./draw/draw-plan.js";
import type { Plan } from "./plan.js";
import { runPlan } from "./run-plan.js";
import { storyOf } from "./story.js";

describe("a run", () => {
  test("a run of the same plan is the same run, and a run of another seed differs", async () => {
    const first = await runPlan(drawPlan(7));
    const second = await runPlan(drawPlan(7));
    const other = await runPlan(drawPlan(8));
    expect(second.hash).toBe(first.hash);
    expect(second.events).toHaveLength(first.events.length);
    expect(other.hash).not.toBe(first.hash);
  });

  test("a run of a plan that went through JSON is the same run", async () => {
    const plan = drawPlan(12);
    const { hash } = await runPlan(plan);
    expect((await runPlan(JSON.parse(JSON.stringify(plan)) as Plan)).hash).toBe(hash);
  });

  test("a run can be told as a story with times, nodes and faults", async () => {
    const result = await runPlan(drawPlan(7));
    const story = storyOf(result).join("\n");
    expect(story).toContain(`seed 7`);
    for (const { breaks } of result.plan.faults) expect(story).toContain(breaks.kind);
    expect(story).toMatch(/\d+\.\d{4} s joined .*node#1/);
  });
});
