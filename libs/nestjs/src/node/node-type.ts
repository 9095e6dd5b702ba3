import { numberFault, OPTION_RULES, TickwheelError } from "@tickwheel/core";
import type { NodeType } from "@tickwheel/engine";
import type { FoundHandler } from "../handlers/delay-task-handler.explorer.js";
import { requireInput } from "../input/input-check.js";
import { taskInput } from "../input/task-input.js";
import { toTaskRequest } from "../requests/task-request.js";

/** A handler's options as what it wants for its type, checked by the rules of a task input. */
export function nodeTypeOf({ type, options }: FoundHandler, namespace: string): NodeType {
  const { concurrency, condition, succeeded, module: _module, ...defaults } = options;
  const fault = concurrency === undefined ? null : numberFault(concurrency, OPTION_RULES.concurrency);
  if (fault !== null)
    throw new TickwheelError("CONFIGURATION_INVALID", `The concurrency of the handler of "${type}" ${fault}.`);
  for (const [name, value] of Object.entries({ condition, succeeded }))
    if (value !== undefined && typeof value !== "function")
      throw new TickwheelError("CONFIGURATION_INVALID", `"${name}" of the handler of "${type}" must be a function.`);
  const { maxAttempts, backoff, timeoutMs, startDeadlineMs, priority } = toTaskRequest(
    requireInput(taskInput, { type, ...defaults }),
    namespace,
    "",
  );
  return {
    namespace,
    type,
    delivery: "handler",
    maxAttempts,
    backoff,
    timeoutMs,
    startDeadlineMs,
    priority,
    concurrency,
  };
}
