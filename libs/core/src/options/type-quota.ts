import { TickwheelError } from "../errors/errors.js";

/** The refusal of one type more than a namespace may have. */
export function typeQuotaReached(
  { namespace, type }: { namespace: string; type: string },
  quota: number,
): TickwheelError {
  return new TickwheelError(
    "VALIDATION_FAILED",
    `"${type}" would be one type more than the ${quota} of the namespace`,
    {
      faults: [{ path: "type", message: `is new, and the namespace has ${quota} types already` }],
      details: { namespace, quota },
    },
  );
}
