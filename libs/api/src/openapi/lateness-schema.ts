import { answer, instant, integer, nullable, number, string } from "./schema-parts.js";

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
      takenFrom: {
        ...nullable(answer({ node: string, silentSince: nullable(instant), takenOverAt: instant })),
        description: "The node that was to start it and did not; null: none is known.",
      },
    }),
  ),
  description: "The lateness in parts that add up to it, in whole milliseconds; null: not measured.",
};
