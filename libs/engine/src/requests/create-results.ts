import { type CreateReply, type CreateResult, TickwheelError } from "@tickwheel/core";

/** The results of a create without an idempotency key: only with a key can the answer be of another kind. */
export function createResults(reply: CreateReply): CreateResult[] {
  if (reply.kind !== "key_reused") return reply.results;
  throw new TickwheelError("INTERNAL", "a create without an idempotency key was told that its key was reused");
}
