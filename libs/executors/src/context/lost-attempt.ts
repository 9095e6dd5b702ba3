import { type Execution, TickwheelError } from "@tickwheel/core";
import type { EffectCall } from "./execution-calls.js";

/**
 * The name of the abort's reason of a node that shuts down: its attempts are still theirs until they are given back.
 */
const DRAINING = "NodeDrainingError";

/**
 * Why a call of a context has no effect any more: its attempt was aborted (time-out, cancel, lost lease, drain). Null:
 * it may begin. A node that shuts down still keeps the checkpoint of an attempt that it gives back.
 */
export function lossOf({ signal }: Pick<Execution, "signal">, call: EffectCall): TickwheelError | null {
  if (!signal.aborted) return null;
  const { name, message } = (signal.reason ?? {}) as { name?: unknown; message?: unknown };
  if (call === "checkpoint" && name === DRAINING) return null;
  const why = typeof message === "string" ? ` (${message})` : "";
  return new TickwheelError("LEASE_LOST", `The attempt was aborted${why}: ctx.${call} does nothing any more.`, {
    cause: signal.reason,
  });
}

/** @throws TickwheelError `LEASE_LOST`: {@link lossOf} */
export function requireKept(execution: Pick<Execution, "signal">, call: EffectCall): void {
  const loss = lossOf(execution, call);
  if (loss) throw loss;
}
