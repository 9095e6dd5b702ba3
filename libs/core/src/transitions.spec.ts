import { describe, expect, test } from "@jest/globals";
import { TASK_STATES, TERMINAL_STATES } from "./task.js";
import { isAllowed, type Transition, TRANSITIONS } from "./transitions.js";

const transitions = Object.keys(TRANSITIONS) as Transition[];

describe("the transition table", () => {
  test("only an explicit retry leaves a terminal state", () => {
    for (const from of TERMINAL_STATES)
      for (const transition of transitions)
        for (const to of TASK_STATES)
          expect({ transition, from, to, allowed: isAllowed(transition, from, to) }).toEqual({
            transition,
            from,
            to,
            allowed: transition === "retry" && to === "scheduled",
          });
  });

  test("running is entered by a claim alone", () => {
    const entering = transitions.filter((transition) => isAllowed(transition, "scheduled", "running"));
    expect(entering).toEqual(["claim"]);
  });

  test("a cancel ends a scheduled task and only notes the request on a running one", () => {
    expect(isAllowed("cancel", "scheduled", "cancelled")).toBe(true);
    expect(isAllowed("cancel", "scheduled", "running")).toBe(false);
    expect(isAllowed("cancel", "running", "running")).toBe(true);
    expect(isAllowed("cancel", "running", "cancelled")).toBe(false);
  });
});
