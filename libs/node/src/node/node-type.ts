import { numberFault, OPTION_RULES, TickwheelError } from "@tickwheel/core";
import type { NodeType } from "@tickwheel/engine";
import type { NodeHandler } from "../handlers/node-handler.js";
import { requireInput, taskInput, toTaskRequest } from "@tickwheel/calls";

/** A handler's options as what it wants for its type, checked by the rules of a task input. */
export function nodeTypeOf({ type, where, options }: NodeHandler, namespace: string): NodeType {
  const { concurrency, condition, succeeded, breaker: _breaker, ...defaults } = options;
  const fault = concurrency === undefined ? null : numberFault(concurrency, OPTION_RULES.concurrency);
  if (fault !== null)
    throw new TickwheelError(
      "CONFIGURATION_INVALID",
      `The concurrency of the handler of "${type}" (${where}) ${fault}.`,
    );
  for (const [name, value] of Object.entries({ condition, succeeded }))
    if (value !== undefined && typeof value !== "function")
      throw new TickwheelError(
        "CONFIGURATION_INVALID",
        `"${name}" of the handler of "${type}" (${where}) must be a function.`,
      );
  const { maxAttempts, backoff, timeoutMs, startDeadlineMs, priority } = atPlace(where, () =>
    toTaskRequest(requireInput(taskInput, { type, ...defaults }), namespace, ""),
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

/** @throws TickwheelError `CONFIGURATION_INVALID` with the places of both, where two methods handle one type */
export function requireOnePlace(places: Map<string, string>, { type, where }: NodeHandler): void {
  const other = places.get(type);
  if (other !== undefined)
    throw new TickwheelError(
      "CONFIGURATION_INVALID",
      `There are two handlers for the type "${type}" on this node, ${other} and ${where}; one is allowed.`,
    );
  places.set(type, where);
}

/** What a check of a decorator's options says, with the class and the method that bear it. */
function atPlace<T>(where: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof TickwheelError)) throw error;
    const { code, message, details, faults } = error;
    throw new TickwheelError(code, `The handler ${where}: ${message}`, { cause: error, details, faults: [...faults] });
  }
}
