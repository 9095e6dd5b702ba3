import type { Type } from "@nestjs/common";
import { REPLAYED } from "@tickwheel/contract/documents";
import { QUEUE_OPERATIONS } from "@tickwheel/contract/operations";
import { type Form, type Forms, restController } from "../calls/rest-controller.js";
import { taskJson } from "../tasks/task-json.js";
import { QueueApiService, type ShownClaims, type ShownEnd } from "./queue-api.service.js";

/** Payloads are put in as the texts that they are. */
function claimsJson({ claims, ...rest }: ShownClaims): string {
  const written = claims.map(({ task, ...claim }) => `${JSON.stringify(claim).slice(0, -1)},"task":${taskJson(task)}}`);
  const facts = JSON.stringify(rest).slice(1);
  return `{"claims":[${written.join(",")}]${facts === "}" ? "" : ","}${facts}`;
}

const end: Form<ShownEnd> = ({ replayed, ...shown }, reply) => {
  if (replayed) reply.header(REPLAYED, "true");
  return shown;
};

const FORMS: Forms<typeof QUEUE_OPERATIONS.rows, QueueApiService> = {
  claim: claimsJson,
  complete: end,
  fail: end,
  release: end,
};

/** REST for consumers. */
export const QueuesController: Type<object> = restController(QUEUE_OPERATIONS, QueueApiService, FORMS);
