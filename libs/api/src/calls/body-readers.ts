import { MAX_BULK } from "@tickwheel/contract";
import type { BodyKind } from "@tickwheel/contract/operations";
import { type JsonShape, turns } from "@tickwheel/core";
import { parseBulk } from "../bodies/bulk-body.js";
import {
  BODY_LIMITS,
  type FrameworkRequest,
  type FrameworkResponse,
  MAX_BULK_BYTES,
  parseBody,
  requestText,
} from "../bodies/request-body.js";
import { type KeyedRequest, keyOf } from "../keys/api-key.guard.js";

interface BodyReader {
  maxBytes: number;
  /** Payloads become `JsonSource`s. */
  parse: (text: string) => unknown;
}

const TASK: JsonShape = { fields: (name) => (name === "payload" ? "text" : undefined) };
const BULK = { shape: TASK, limits: BODY_LIMITS, maxItems: MAX_BULK };
const RESULT: JsonShape = { fields: (name) => (name === "result" ? "text" : undefined) };
/** Beside its tasks a batch has those of its end. */
const BATCH = { ...BULK, others: { onComplete: TASK, onSuccess: TASK } };

const READERS: Readonly<Record<BodyKind, BodyReader>> = {
  task: { maxBytes: BODY_LIMITS.bytes, parse: (text) => parseBody(text, TASK, BODY_LIMITS) },
  result: { maxBytes: BODY_LIMITS.bytes, parse: (text) => parseBody(text, RESULT, BODY_LIMITS) },
  tasks: { maxBytes: MAX_BULK_BYTES, parse: (text) => parseBulk(text, BULK, turns) },
  batch: { maxBytes: MAX_BULK_BYTES, parse: (text) => parseBulk(text, BATCH, turns) },
};

/** The body of a call. Guards have let the request in by the time that it is read. */
export async function readBody(
  kind: BodyKind,
  request: FrameworkRequest & KeyedRequest,
  response: FrameworkResponse,
): Promise<unknown> {
  const { maxBytes, parse } = READERS[kind];
  return parse(await requestText(request, response, { owner: keyOf(request).id, maxBytes }));
}
