import type { IncomingMessage, ServerResponse } from "node:http";
import { createParamDecorator, type ExecutionContext, HttpException, HttpStatus } from "@nestjs/common";
import { type JsonShape, keepSources } from "@tickwheel/core";

/** The longest body that is read, in bytes: a full bulk call needs this much. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** What the framework would have read the body by, and does not see until we have read it. */
const HIDDEN = ["content-type", "content-length", "transfer-encoding"] as const;
const UNREAD = Symbol("tickwheel.unread");
const JSON_IN_UTF8 = /^application\/json\s*(;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i;

type Unread = IncomingMessage & { [UNREAD]?: Partial<Record<(typeof HIDDEN)[number], string>> };
/** A request of Fastify (with the raw one inside) or of Express. */
export type FrameworkRequest = Unread & { raw?: Unread; body?: unknown; rawBody?: Buffer };

/**
 * Makes the framework see a request without a body, so that its parsers leave the stream to {@link requestText}. Only JSON in UTF-8, not
 * compressed, that nobody has begun to read: all else the framework reads or refuses as it would anyway.
 */
export function leaveUnread(request: IncomingMessage): void {
  const { headers } = request;
  if (request.readableDidRead) return;
  if (!JSON_IN_UTF8.test(headers["content-type"] ?? "") || headers["content-encoding"] !== undefined) return;
  const hidden: Unread[typeof UNREAD] = {};
  for (const name of HIDDEN) {
    if (headers[name] === undefined) continue;
    hidden[name] = headers[name];
    delete headers[name];
  }
  (request as Unread)[UNREAD] = hidden;
}

/**
 * The body's own text. Where the framework has read it before us, the raw body that it kept (`rawBody: true`), or else what it parsed, written
 * again: then numbers are what JavaScript holds.
 *
 * @throws HttpException 413 for a body over the limit, as soon as that is known; 400 for one that is cut off
 */
export async function requestText(request: FrameworkRequest, response: unknown): Promise<string> {
  const raw = request.raw ?? request;
  const hidden = raw[UNREAD];
  if (hidden) {
    raw[UNREAD] = undefined;
    Object.assign(raw.headers, hidden);
    return streamText(raw, response as ServerResponse | { raw: ServerResponse });
  }
  if (Buffer.isBuffer(request.rawBody)) return request.rawBody.toString("utf8");
  return request.body === undefined ? "" : JSON.stringify(request.body);
}

/**
 * The value of a body, in which the places that `shape` names stay text. An empty body is undefined.
 *
 * @throws HttpException 400 where it is no JSON
 */
export function parseBody(text: string, shape: JsonShape): unknown {
  const json = text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
  if (json === "") return undefined;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new HttpException("The body is not JSON.", HttpStatus.BAD_REQUEST);
  }
  return keepSources(json, value, shape);
}

const TASK: JsonShape = { fields: (name) => (name === "payload" ? "text" : undefined) };
const TASKS: JsonShape = { fields: (name) => (name === "tasks" ? { items: TASK } : undefined) };

/** The body of a call about one task; its payload is a `JsonSource`. */
export const TaskBody = bodyParameter(TASK);
/** The body of a call about many. */
export const TasksBody = bodyParameter(TASKS);

/** Guards have let the request in by the time that its body is read. */
function bodyParameter(shape: JsonShape): () => ParameterDecorator {
  return createParamDecorator(async (_data: unknown, context: ExecutionContext): Promise<unknown> => {
    const http = context.switchToHttp();
    return parseBody(await requestText(http.getRequest<FrameworkRequest>(), http.getResponse()), shape);
  });
}

const BYTE_ORDER_MARK = 0xfeff;

function streamText(request: IncomingMessage, response: ServerResponse | { raw: ServerResponse }): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const end = (settle: () => void): void => {
      request.off("data", onData).off("end", onEnd).off("error", onCut).off("close", onCut);
      settle();
    };
    const refuse = (): void => {
      // The rest is not read, so the connection is of no use any more.
      ("raw" in response ? response.raw : response).shouldKeepAlive = false;
      end(() => reject(new HttpException("The body is too large.", HttpStatus.PAYLOAD_TOO_LARGE)));
    };
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) refuse();
      else chunks.push(chunk);
    };
    const onEnd = (): void => {
      const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      end(() => resolve(body.toString("utf8")));
    };
    const onCut = (): void => end(() => reject(new HttpException("The body was cut off.", HttpStatus.BAD_REQUEST)));
    if (Number(request.headers["content-length"]) > MAX_BODY_BYTES) refuse();
    else request.on("data", onData).on("end", onEnd).on("error", onCut).on("close", onCut);
  });
}
