import { ApiHeader } from "@nestjs/swagger";

export const IDEMPOTENCY_KEY = "Idempotency-Key";
/** Of an answer that an idempotency key gives again. */
export const REPLAYED = "Tickwheel-Replayed";

/** Describes the header of a call that is done once. */
export function IdempotencyHeader(): MethodDecorator {
  return ApiHeader({
    name: IDEMPOTENCY_KEY,
    required: false,
    schema: { type: "string", minLength: 1, maxLength: 256 },
    description: `Of several calls with the same one the first is done, and the others get its answer, with the header ${REPLAYED}.`,
  });
}
