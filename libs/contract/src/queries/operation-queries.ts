import { OPERATION_ACTIONS, OPERATION_STATES, TASK_OUTCOMES } from "@tickwheel/core";
import { idCursor, page, wordsParameter } from "./parameters.js";
import { query } from "./query.js";

/** Which operations a list shows. */
export const operationQuery = query({
  state: wordsParameter(OPERATION_STATES, "Operations in one of these states.", { name: "OperationState" }),
  action: wordsParameter(OPERATION_ACTIONS, "Operations that do one of these.", { name: "OperationAction" }),
  ...page(idCursor),
});

/** Which of the tasks that an operation has changed. */
export const changedTaskQuery = query({
  outcome: wordsParameter(TASK_OUTCOMES, "Tasks of which one of these became."),
  ...page(idCursor),
});
