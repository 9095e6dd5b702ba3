import { describe, expect, test } from "@jest/globals";
import { assumptionChecks, bugChecks, propertyChecks } from "../model/checks.mjs";
import { judge, nameOf } from "../model/judgement.mjs";
import { depth } from "../support/depth.js";
import { printFigures } from "../support/figures.js";

type Check = ReturnType<typeof propertyChecks>[number];

const NODES = depth({ sample: [2], whole: [2, 3] });

async function expectAsForeseen(check: Check): Promise<void> {
  const [judgement] = await judge([check], () => {});
  const { asExpected, told, finding } = judgement!;
  const { states, seconds, trailSteps } = finding;
  printFigures(`model, ${nameOf(check)}`, { selfFencing: check.selfFencing, states, seconds, trailSteps, told });
  expect({ asExpected, told }).toEqual({ asExpected: true, told });
}

describe.each(NODES)("the model of a task's protocol, with %d nodes", (nodes) => {
  const named = (checks: Check[]): [string, Check][] =>
    checks.map((check) => [`${nameOf(check)}, ${check.selfFencing ? "with" : "without"} self-fencing`, check]);

  test.each(named(propertyChecks(nodes)))("the model of a task's protocol keeps %s", (_, check) =>
    expectAsForeseen(check),
  );

  test.each(named(bugChecks(nodes)))("the model of a task's protocol fails with the planted bug %s", (_, check) =>
    expectAsForeseen(check),
  );

  test.each(named(assumptionChecks(nodes)))(
    "the model of a task's protocol fails with the broken assumption %s",
    (_, check) => expectAsForeseen(check),
  );

  test("the model of a task's protocol has six planted bugs", () => {
    expect(bugChecks(nodes).map(({ plants }) => plants)).toHaveLength(6);
  });
});
