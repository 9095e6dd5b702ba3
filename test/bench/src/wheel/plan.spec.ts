import { describe, expect, test } from "@jest/globals";
import { implementationNames } from "./queues/implementations.js";
import { loadNames } from "./loads.js";
import { interleave, planSubjects } from "./plan.js";

describe("the plan", () => {
  test("the plan of a benchmark takes turns: the first repetition of all, then the second, the slow ones once", () => {
    const planned = planSubjects({ counts: [1e5], loads: ["orders"], implementations: ["wheel", "naive"], reps: 3 });
    expect(interleave(planned).map(({ impl }) => impl)).toEqual(["wheel", "naive", "wheel", "wheel"]);
  });

  test("the plan of a benchmark finishes a size and load before it begins the next", () => {
    const planned = planSubjects({
      counts: [1e4, 1e5],
      loads: ["orders", "churn"],
      implementations: ["wheel"],
      reps: 2,
    });
    const order = interleave(planned).map(({ n, load }) => `${load} ${n}`);
    expect(order).toEqual(
      ["orders 10000", "churn 10000", "orders 100000", "churn 100000"].flatMap((name) => [name, name]),
    );
  });

  test("the plan of a benchmark has a reason for every combination that does not run, and none for those that do", () => {
    const planned = planSubjects({
      counts: [1e4, 1e7],
      loads: loadNames,
      implementations: implementationNames,
      reps: 2,
    });
    expect(planned).toHaveLength(2 * loadNames.length * implementationNames.length);
    expect(planned.filter(({ reps, notRun }) => (reps === 0) !== (notRun !== null))).toEqual([]);
  });

  test("the plan of a benchmark gives setTimeout no delays that overflow", () => {
    const [month] = planSubjects({ counts: [1e4], loads: ["uniform-30d"], implementations: ["setTimeout"], reps: 2 });
    expect(month).toMatchObject({ reps: 0, notRun: expect.stringContaining("overflow") });
  });

  test("the plan of a benchmark runs the slow implementations on one load only", () => {
    const slow = planSubjects({ counts: [1e5], loads: loadNames, implementations: ["rounds", "naive"], reps: 5 });
    const running = slow.filter(({ reps }) => reps > 0).map(({ subject, reps }) => [subject.impl, subject.load, reps]);
    expect(running).toEqual([
      ["rounds", "orders", 1],
      ["naive", "orders", 1],
    ]);
  });
});
