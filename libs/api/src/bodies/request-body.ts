import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { StringDecoder } from "node:string_decoder";
import { HttpException, HttpStatus } from "@nestjs/common";
import { type JsonShape, keepSources, nestingOf, shownText, SystemClock, TickwheelError } from "@tickwheel/core";
import { BodyBudget } from "./body-budget.js";
import { type Deadline, Deadlines } from "../limits/deadlines.js";
import { whenOver } from "./request-end.js";

/** How long and how many-parted a body may be. */
export interface BodyLimits {
  bytes: number;
  /** Objects, lists, and what stands in them: what takes a parser's time is not bytes. */
  values: number;
}

/** The limits of all calls but those about many tasks, and of each task in those. */
export const BODY_LIMITS: BodyLimits = { bytes: 1024 * 1024, values: 100_000 };
/** The limit of a bulk call, in bytes. */
export const MAX_BULK_BYTES = 16 * 1024 * 1024;
/** The deepest body: far beyond a payload's 32 levels, so that it is the payload that is said to be too deep. */
const MAX_DEPTH = 100;
/** A body is there after so many milliseconds, or is not read any further. */
const BODY_TIME_MS = 60_000;
/** The rest of an unwanted body is read up to this length, so that the connection can go on. */
const SHORT_BYTES = 64 * 1024;

/** One for the process: its memory is what bodies take. */
const budget = new BodyBudget();
/** A timer of its own would cost a request more than reading its body does. */
const deadlines = new Deadlines(new SystemClock(), BODY_TIME_MS);

/** What the framework would have read the body by, and does not see until we have read it. */
const HIDDEN = ["content-type", "content-length", "transfer-encoding"] as const;
const UNREAD = Symbol("tickwheel.unread");
const JSON_TYPE = /^application\/json\s*(;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;
const UTF_8 = /^utf-?8$/i;

type Hidden = Partial<Record<(typeof HIDDEN)[number], string>>;
type Unread = IncomingMessage & { [UNREAD]?: Hidden };
/** A request of Fastify (with the raw one inside) or of Express. */
export type FrameworkRequest = Unread & { raw?: Unread; body?: unknown; rawBody?: Buffer };
export type FrameworkResponse = ServerResponse | { raw: ServerResponse };

/**
 * Makes the framework see a request without a body, so that its parsers leave the stream to {@link requestText}; one
 * that somebody has begun to read is left as it is.
 */
export function leaveUnread(request: IncomingMessage): void {
  const { headers } = request;
  if (request.readableDidRead) return;
  const hidden: Hidden = {};
  for (const name of HIDDEN) {
    if (headers[name] === undefined) continue;
    hidden[name] = headers[name];
    // To delete it would make every look at the headers slow from here on.
    headers[name] = undefined;
  }
  (request as Unread)[UNREAD] = hidden;
}

/**
 * To be called when a request was refused before its body was read: of a long one the connection is closed behind the
 * answer.
 */
export function giveUpUnread(request: FrameworkRequest, response: FrameworkResponse): void {
  closeBehindLongBody(request.raw ?? request, rawResponse(response));
}

/** The same at any time before the answer, of a body that nobody is going to read. */
export function closeBehindLongBody(request: IncomingMessage, response: ServerResponse): void {
  const hidden = (request as Unread)[UNREAD];
  if (!hidden) return;
  const { "content-length": length, "transfer-encoding": coding } = hidden;
  if (coding !== undefined || Number(length ?? 0) > SHORT_BYTES) closeBehind(response);
}

/**
 * The body's own text. Where the framework has read it before us, the raw body that it kept (`rawBody: true`), or else
 * what it parsed, written again: then numbers are what JavaScript holds.
 *
 * @throws HttpException 415 for a body that is not JSON in UTF-8, or is compressed; 413 for one over the limit, as soon
 *   as that is known; 400 for one that is cut off; 408 for one that takes too long
 * @throws TickwheelError `RATE_LIMITED` where the bodies that are being worked on leave no room for a long one
 */
export async function requestText(
  request: FrameworkRequest,
  response: FrameworkResponse,
  { owner, maxBytes }: Reading,
): Promise<string> {
  const raw = request.raw ?? request;
  const hidden = raw[UNREAD];
  if (hidden) {
    requireJson(raw.headers, hidden);
    raw[UNREAD] = undefined;
    Object.assign(raw.headers, hidden);
    return streamText(raw, rawResponse(response), { owner, maxBytes });
  }
  if (Buffer.isBuffer(request.rawBody)) return request.rawBody.toString("utf8");
  return request.body === undefined ? "" : JSON.stringify(request.body);
}

/**
 * The value of a body, in which the places that `shape` names stay text. An empty body is undefined.
 *
 * @throws HttpException 400 where it is no JSON, nested too deep or has too many values: looked at before anything is
 *   made of it
 */
export function parseBody(text: string, shape: JsonShape, limits: BodyLimits): unknown {
  const json = withoutMark(text);
  return json === "" ? undefined : keepSources(json, parseBounded(json, limits), shape);
}

/** Text without the byte order mark that it may begin with. */
export function withoutMark(text: string): string {
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}

/** As {@link parseBody}, of a text without a mark, all of it as values. */
export function parseBounded(json: string, limits: BodyLimits): unknown {
  requireBounded(json, limits);
  try {
    return JSON.parse(json);
  } catch {
    throw notJson();
  }
}

export function notJson(): HttpException {
  return new HttpException("The body is not JSON.", HttpStatus.BAD_REQUEST);
}

/** @throws HttpException 400 where a text is nested too deep or has too many values, whether it is JSON or not */
export function requireBounded(text: string, { values: maxValues }: BodyLimits): void {
  const { depth, values } = nestingOf(text, { depth: MAX_DEPTH, values: maxValues });
  if (depth > MAX_DEPTH) throw new HttpException(`The body is nested deeper than ${MAX_DEPTH} levels.`, 400);
  if (values > maxValues) throw new HttpException(`The body has more than ${maxValues} values.`, 400);
}

const BYTE_ORDER_MARK = 0xfeff;

/** Closes the connection when this is answered: what is left of the body would be read else, however long it is. */
function closeBehind(response: ServerResponse): void {
  response.shouldKeepAlive = false;
}

export function rawResponse(response: FrameworkResponse): ServerResponse {
  return "raw" in response ? response.raw : response;
}

/** Characters of a header that an answer repeats, at most. */
const MAX_SHOWN = 100;

/** A request without a length and without chunks has no body, whatever its headers say of one. */
function requireJson({ "content-encoding": encoding }: IncomingHttpHeaders, hidden: Hidden): void {
  if (hidden["transfer-encoding"] === undefined && !(Number(hidden["content-length"]) > 0)) return;
  const type = hidden["content-type"];
  if (encoding !== undefined && encoding.toLowerCase() !== "identity")
    throw notTaken(`The body is compressed (content-encoding ${shown(encoding)}): it must not be.`);
  if (!JSON_TYPE.test(type ?? "") || !UTF_8.test(CHARSET.exec(type!)?.[1] ?? "utf-8"))
    throw notTaken(
      `The body is ${type === undefined ? "of no content type" : shown(type)}: it must be application/json in UTF-8.`,
    );
}

function notTaken(message: string): HttpException {
  return new HttpException(message, HttpStatus.UNSUPPORTED_MEDIA_TYPE);
}

function shown(header: string): string {
  return JSON.stringify(shownText(header, MAX_SHOWN));
}

/** What a body is read by. */
export interface Reading {
  /** Whose body it is: a key's id, or an address. */
  owner: string;
  maxBytes: number;
}

function streamText(request: IncomingMessage, response: ServerResponse, reading: Reading): Promise<string> {
  if (Number(request.headers["content-length"]) > reading.maxBytes) {
    closeBehind(response);
    return Promise.reject(tooLarge());
  }
  return new Promise((resolve, reject) => new BodyReader({ request, response }, reading, { resolve, reject }));
}

function tooLarge(): HttpException {
  return new HttpException("The body is too large.", HttpStatus.PAYLOAD_TOO_LARGE);
}

interface Settle {
  resolve: (text: string) => void;
  reject: (error: Error) => void;
}

/**
 * Reads one body, once. What it takes of the budget it gives back when the response is over: until then the task inputs
 * are in memory, too.
 */
class BodyReader {
  private readonly decoder = new StringDecoder("utf8");
  private text = "";
  private bytes = 0;
  private granted = 0;
  private readonly deadline: Deadline;

  constructor(
    private readonly http: { request: IncomingMessage; response: ServerResponse },
    private readonly reading: Reading,
    private readonly settle: Settle,
  ) {
    http.request.on("data", this.onData).on("end", this.onEnd).on("error", this.onCut).on("close", this.onCut);
    this.deadline = deadlines.start(this.onTooLate);
  }

  private readonly onData = (chunk: Buffer): void => {
    this.bytes += chunk.length;
    if (this.bytes > this.reading.maxBytes) return this.refuse(tooLarge());
    if (this.bytes > SHORT_BYTES && !this.isGranted())
      return this.refuse(new TickwheelError("RATE_LIMITED", "This node works on as many long bodies as it can hold."));
    // Each as it comes: all of a long body at once would keep the loop.
    this.text += this.decoder.write(chunk);
  };

  private readonly onEnd = (): void => {
    this.over();
    this.settle.resolve(this.text + this.decoder.end());
  };

  private readonly onCut = (): void => {
    this.over();
    this.settle.reject(new HttpException("The body was cut off.", HttpStatus.BAD_REQUEST));
  };

  private readonly onTooLate = (): void =>
    this.refuse(new HttpException("The body took too long.", HttpStatus.REQUEST_TIMEOUT));

  private isGranted(): boolean {
    const { owner } = this.reading;
    const more = this.bytes - this.granted;
    if (!budget.take(owner, more)) return false;
    const { request, response } = this.http;
    const isFirst = this.granted === 0;
    this.granted += more;
    if (isFirst) whenOver(request.socket, response, () => budget.giveBack(owner, this.granted));
    return true;
  }

  private refuse(error: Error): void {
    closeBehind(this.http.response);
    this.over();
    this.settle.reject(error);
  }

  private over(): void {
    deadlines.end(this.deadline);
    this.http.request.off("data", this.onData).off("end", this.onEnd).off("error", this.onCut).off("close", this.onCut);
  }
}
