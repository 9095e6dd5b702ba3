import { describe, expect, test } from "@jest/globals";
import { drawPlan } from "./draw/draw-plan.js";
import type { Plan } from "./plan.js";
import { shrinkPlan } from "./shrink-plan.js";

const plan = drawPlan(31);

describe("a plan that fails", () => {
  test("a plan that fails is reduced to the parts that it needs to fail", async () => {
    const guilty = { fault: plan.faults[0]!, request: plan.requests[3]! };
    const fails = async ({ faults, requests }: Plan): Promise<boolean> =>
      faults.includes(guilty.fault) && requests.includes(guilty.request);
    const smallest = await shrinkPlan(plan, fails);
    expect(smallest).toMatchObject({ nodes: 1, faults: [guilty.fault], requests: [guilty.request] });
  });

  test("a plan that fails stays as it is if all of it is needed", async () => {
    const fails = async (candidate: Plan): Promise<boolean> => candidate === plan;
    expect(await shrinkPlan(plan, fails)).toBe(plan);
  });

  test("a plan that fails loses parts of a caller's transaction, too", async () => {
    const task = plan.requests.map(({ action }) => action).find(({ kind }) => kind === "create")!;
    const transaction = { kind: "transaction" as const, actions: [task, task, task], holdMs: 5, commits: true };
    const large: Plan = { ...plan, requests: [{ atMs: 1, node: 0, action: transaction }] };
    const fails = async ({ requests }: Plan): Promise<boolean> => requests.length === 1;
    const [request] = (await shrinkPlan(large, fails)).requests;
    expect(request!.action).toEqual({ ...transaction, actions: [task] });
  });
});
