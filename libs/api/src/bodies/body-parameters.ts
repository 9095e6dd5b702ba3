import { createParamDecorator, type ExecutionContext } from "@nestjs/common";
import { MAX_BULK } from "@tickwheel/contract";
import { type JsonShape, turns } from "@tickwheel/core";
import { type KeyedRequest, keyOf } from "../keys/api-key.guard.js";
import { parseBulk } from "./bulk-body.js";
import { BODY_LIMITS, type FrameworkRequest, MAX_BULK_BYTES, parseBody, requestText } from "./request-body.js";

const TASK: JsonShape = { fields: (name) => (name === "payload" ? "text" : undefined) };
const BULK = { shape: TASK, limits: BODY_LIMITS, maxItems: MAX_BULK };
/** Beside its tasks a batch has those of its end. */
const BATCH = { ...BULK, others: { onComplete: TASK, onSuccess: TASK } };

/** The body of a call about one task; its payload is a `JsonSource`. */
export const TaskBody = bodyParameter(BODY_LIMITS.bytes, (text) => parseBody(text, TASK, BODY_LIMITS));
/** The body of a call about many. */
export const TasksBody = bodyParameter(MAX_BULK_BYTES, (text) => parseBulk(text, BULK, turns));
/** The body of a call that makes a batch. */
export const BatchBody = bodyParameter(MAX_BULK_BYTES, (text) => parseBulk(text, BATCH, turns));

/** Guards have let the request in by the time that its body is read. */
function bodyParameter(maxBytes: number, parse: (text: string) => unknown): () => ParameterDecorator {
  return createParamDecorator(async (_data: unknown, context: ExecutionContext): Promise<unknown> => {
    const http = context.switchToHttp();
    const request = http.getRequest<FrameworkRequest & KeyedRequest>();
    return parse(await requestText(request, http.getResponse(), { owner: keyOf(request).id, maxBytes }));
  });
}
