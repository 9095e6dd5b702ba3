import { describe, expect, test } from "@jest/globals";
import { TASK_STATES, TERMINAL_STATES } from "./task.js";
import { nameOfTransition } from "./task-move.js";
import { BY_PAGE, TRANSITIONS } from "./transitions.js";

describe("the life of a task", () => {
  test("each transition of a task has a name of its own", () => {
    expect(new Set(TRANSITIONS.map(nameOfTransition)).size).toBe(TRANSITIONS.length);
  });

  test("every state is reached, and left only by a retry, a discard and undos once it is terminal [terminal-is-final]", () => {
    expect(new Set(TRANSITIONS.map(({ to }) => to))).toEqual(new Set(TASK_STATES));
    const terminal = TRANSITIONS.filter(({ from }) => from !== null && TERMINAL_STATES.includes(from));
    const byOperations = terminal.filter(({ by, name }) => by.every((method) => method === BY_PAGE) && name !== "tag");
    expect(byOperations.map(nameOfTransition)).toEqual([
      "discard: dead → cancelled",
      "undo: cancelled → scheduled",
      "undo: cancelled → paused",
      "undo: cancelled → dead",
      "undo: dead → dead",
    ]);
    const leaving = terminal.filter(({ from, to, by }) => from !== to && !by.every((method) => method === BY_PAGE));
    expect(leaving.map(({ name, from, to }) => [name, from, to])).toEqual(
      TERMINAL_STATES.map((state) => ["retry", state, "scheduled"]),
    );
  });

  test("running is entered by a claim or a pull alone, which raises the fence and names the owner [single-claim]", () => {
    const entering = TRANSITIONS.filter(({ from, to }) => to === "running" && from !== "running");
    expect(entering.map(({ name, sets }) => [name, sets.fence, sets.owner])).toEqual([
      ["claim", "+1", "claimer"],
      ["pull", "+1", "consumer"],
    ]);
  });

  test("every way back to scheduled raises the fence, clears the owner, and is not open to what was asked to be cancelled [stale-silence]", () => {
    const back = TRANSITIONS.filter(({ from, to }) => from === "running" && to === "scheduled");
    expect(back.map(({ name }) => name)).toEqual(["fail", "snooze", "release", "defer", "reap", "lease end"]);
    for (const { sets, cancelRequested } of back) {
      expect([sets.fence, sets.owner, cancelRequested]).toEqual(["+1", "nobody", false]);
    }
  });

  test("a live key is held by what waits or runs and by nothing else [one-live-key]", () => {
    for (const { name, from, to, sets } of TRANSITIONS) {
      if (TERMINAL_STATES.includes(to)) expect(sets.key).toBe("free");
      else if (name === "undo") expect(sets.key).toBe("remembered");
      else if (from === null || TERMINAL_STATES.includes(from)) expect(sets.key).toBe("taken");
    }
  });
});
