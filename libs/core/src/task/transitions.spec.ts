import { describe, expect, test } from "@jest/globals";
import { TASK_STATES, TERMINAL_STATES } from "./task.js";
import { nameOfTransition } from "./task-move.js";
import { TRANSITIONS } from "./transitions.js";

describe("the life of a task", () => {
  test("each line has a name of its own", () => {
    expect(new Set(TRANSITIONS.map(nameOfTransition)).size).toBe(TRANSITIONS.length);
  });

  test("every state is reached, and left only by a retry once it is terminal [terminal-is-final]", () => {
    expect(new Set(TRANSITIONS.map(({ to }) => to))).toEqual(new Set(TASK_STATES));
    const terminal = TRANSITIONS.filter(({ from }) => from !== null && TERMINAL_STATES.includes(from));
    expect(terminal.map(({ name, from, to }) => [name, from, to])).toEqual(
      TERMINAL_STATES.map((state) => ["retry", state, "scheduled"]),
    );
  });

  test("running is entered by a claim alone, which raises the fence and names the owner [single-claim]", () => {
    const entering = TRANSITIONS.filter(({ from, to }) => to === "running" && from !== "running");
    expect(entering.map(({ name, sets }) => [name, sets.fence, sets.owner])).toEqual([["claim", "+1", "claimer"]]);
  });

  test("every way back to scheduled raises the fence, clears the owner, and is not open to what was asked to be cancelled [stale-silence]", () => {
    const back = TRANSITIONS.filter(({ from, to }) => from === "running" && to === "scheduled");
    expect(back.map(({ name }) => name)).toEqual(["fail", "snooze", "release", "defer", "reap"]);
    for (const { sets, cancelRequested } of back) {
      expect([sets.fence, sets.owner, cancelRequested]).toEqual(["+1", "nobody", false]);
    }
  });

  test("a live key is held by what waits or runs and by nothing else [one-live-key]", () => {
    for (const { from, to, sets } of TRANSITIONS) {
      if (TERMINAL_STATES.includes(to)) expect(sets.key).toBe("free");
      else if (from === null || TERMINAL_STATES.includes(from)) expect(sets.key).toBe("taken");
    }
  });
});
