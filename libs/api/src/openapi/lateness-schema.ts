import { BECAUSE_CODES, LATENESS_PARTS } from "@tickwheel/core";
import { answer, instant, integer, nullable, number, oneOf, string } from "./schema-parts.js";

const takenFrom = {
  ...nullable(answer({ node: string, silentSince: nullable(instant), takenOverAt: instant })),
  description: "The node that was to start it and did not; null: none is known.",
};

/** Where a start's lateness went. */
export const latenessParts = {
  ...nullable(
    answer({
      knownMs: { ...integer, description: "Until some node knew of the task." },
      wheelMs: { ...integer, description: "In that node's wheel." },
      placeMs: { ...integer, description: "For a place to run." },
      claimMs: { ...integer, description: "For the claim." },
      startMs: { ...integer, description: "From the claim's answer to the start." },
      clockErrorMs: { ...number, description: "The time of the start is known to within so much." },
      takenFrom,
    }),
  ),
  description: "The lateness in parts that add up to it, in whole milliseconds; null: not measured.",
};

/** Why a task stands as it does. */
export const because = {
  ...answer({
    code: oneOf(BECAUSE_CODES),
    hasNoNode: { type: "boolean", description: "No live node runs its type, whether it is due or not." },
    lastRunner: {
      ...nullable(answer({ node: nullable(string), how: oneOf(["DEAD", "LEFT"]), at: instant })),
      description: "The last node that ran its type, where no live node does and its going is on record; else null.",
    },
    places: {
      ...nullable(answer({ inUse: integer, all: integer })),
      description: "Of the live nodes that run its type, where it waits for a place; else null.",
    },
    snoozes: { ...integer, description: "How often its handler has put it off." },
    late: {
      ...nullable(answer({ latenessMs: integer, part: oneOf(LATENESS_PARTS), partMs: integer, takenFrom })),
      description: "Its last start was late by 100 ms or more: the part that most of it went to; else null.",
    },
  }),
  description: "Why the task stands as it does. Only where one task is shown by its id.",
};
