import { expect, test } from "@jest/globals";
import type { ReducedTask as SaidReducedTask, Session } from "@tickwheel/contract/types";
import type { IsSaid } from "../calls/call.js";
import type { SessionView } from "../sessions/session.controller.js";
import type { ReducedTask } from "../tasks/task-json.js";

// Services are held to their rows by the types of their controllers' forms; here is what no such type sees.

test("the answers of controllers written by hand, and a reduced task, are what the contract says", () => {
  const session: IsSaid<SessionView, Session> = true;
  const reduced: IsSaid<ReducedTask, SaidReducedTask> = true;
  expect([session, reduced]).toEqual([true, true]);
});
