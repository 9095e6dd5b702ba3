import { parseJson } from "./json.js";

/** One fault of a request: where (`payload.order`, empty for the whole request) and what. */
export interface FieldFault {
  readonly path: string;
  readonly detail: string;
}

/** Why a call got no good answer: the API's problem+json, another answer, or none at all (`status` null). */
export interface Problem {
  readonly status: number | null;
  readonly code: string | null;
  readonly title: string;
  readonly detail: string | null;
  readonly errors: readonly FieldFault[];
  /** How long the server asks to wait, in milliseconds. */
  readonly retryAfterMs: number | null;
}

type Fields = Readonly<Record<string, unknown>>;

const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null;

/** A problem that the page itself found. */
export function localProblem(title: string, detail: string | null = null, errors: readonly FieldFault[] = []): Problem {
  return { status: null, code: null, title, detail, errors, retryAfterMs: null };
}

/** Reads the problem out of an answer that is not 2xx, no matter who sent it: the API, or a proxy in front of it. */
export function problemOfAnswer(answer: { status: number; retryAfter: string | null; body: string }): Problem {
  const { status } = answer;
  return { ...problemOfFields({ ...fieldsOf(answer.body), status }), retryAfterMs: retryAfterMsOf(answer.retryAfter) };
}

/** A problem by its own fields (RFC 9457), as a stream sends it. */
export function problemOfFields(value: unknown): Problem {
  const fields = isFields(value) ? value : {};
  const status = typeof fields.status === "number" ? fields.status : null;
  return {
    status,
    code: text(fields.code),
    title: text(fields.title) ?? (status === null ? "It failed" : `The server answered ${status}`),
    detail: text(fields.detail),
    errors: Array.isArray(fields.errors) ? fields.errors.map(faultOf) : [],
    retryAfterMs: null,
  };
}

/** The problem of a call that got no answer. */
export function problemOfFailure(cause: unknown): Problem {
  const isTimeout = cause instanceof DOMException && cause.name === "TimeoutError";
  return isTimeout
    ? localProblem("No answer in time", "The node did not answer in time.")
    : localProblem("The API cannot be reached", "The connection to the node failed.");
}

/** One sentence for a place that has room for one. */
export function sentenceOf(problem: Problem): string {
  return problem.detail ?? problem.title;
}

function fieldsOf(body: string): Fields {
  try {
    const value = parseJson(body);
    return isFields(value) ? value : {};
  } catch {
    return {};
  }
}

function faultOf(value: unknown): FieldFault {
  if (!isFields(value)) return { path: "", detail: String(value) };
  const path = Array.isArray(value.path) ? value.path.join(".") : (text(value.path) ?? "");
  return { path, detail: text(value.detail) ?? text(value.message) ?? JSON.stringify(value) };
}

function retryAfterMsOf(header: string | null): number | null {
  return header !== null && /^\d+$/.test(header.trim()) ? Number(header) * 1000 : null;
}
