import { shownText, TickwheelError } from "@tickwheel/core";

/** A batch that is not there, in its namespace or at all. */
export function noBatch(id: unknown): TickwheelError {
  const name = typeof id === "string" ? shownText(id) : "without an id";
  return new TickwheelError("BATCH_NOT_FOUND", `There is no batch ${name}.`);
}
