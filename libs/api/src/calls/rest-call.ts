import { IDEMPOTENCY_KEY } from "@tickwheel/contract/documents";
import { isBodyOptional, type Operation, placesOf, readQuery } from "@tickwheel/contract/operations";
import type { TraceHeaders } from "@tickwheel/core";
import { callerSignal } from "../bodies/caller-signal.js";
import { type FrameworkRequest, type FrameworkResponse, rawResponse } from "../bodies/request-body.js";
import { type KeyedRequest, keyOf, sessionOf } from "../keys/api-key.guard.js";
import { AnswerBudget } from "../limits/answer-budget.js";
import { readBody } from "./body-readers.js";
import type { Call } from "./call.js";
import { prefersMinimal, waitSecondsOf } from "../bodies/preferences.js";
import { expectedVersionOf } from "./if-match.js";

/** A request of Express or Fastify that the guards let in. */
export type RestRequest = FrameworkRequest &
  KeyedRequest & {
    params: Readonly<Record<string, string>>;
    query: Readonly<Record<string, unknown>>;
  };

const ONCE = IDEMPOTENCY_KEY.toLowerCase();

/**
 * What a request asks for, read by its row. Nest's own parameters would pass an application's pipes, which may change
 * them.
 *
 * @throws TickwheelError `VALIDATION_FAILED` for a wrong query or `If-Match`
 * @throws HttpException for a body that cannot be read
 */
export async function restCallOf(row: Operation, request: RestRequest, response: FrameworkResponse): Promise<Call> {
  const { headers } = request;
  const [place, within] = placesOf(row);
  const kind = row.bodyKind ?? "task";
  const given = row.body && (await readBody(kind, request, response));
  const body = given === undefined && isBodyOptional(row) ? {} : given;
  const waitSeconds = row.mayWait ? waitSecondsOf(headers["prefer"]) : 0;
  return {
    apiKey: keyOf(request),
    session: sessionOf(request)?.id ?? null,
    at: place === undefined ? "" : request.params[place]!,
    within: within === undefined ? "" : request.params[within]!,
    query: (row.query && readQuery(row.query, request.query)) as undefined,
    body,
    expected: row.ifMatch ? expectedVersionOf(headers["if-match"]) : null,
    idempotencyKey: row.isOnce ? (headers[ONCE] as string | undefined) : undefined,
    headers: headers as TraceHeaders,
    waitSeconds,
    isBrief: row.mayBeBrief === true && prefersMinimal(headers["prefer"]),
    // It costs a listener: only many tasks and waits are worth ending early.
    signal: kind === "tasks" || waitSeconds > 0 || row.isPoll ? callerSignal(request, response) : undefined,
    isAnswered: row.isPoll && (() => rawResponse(response).writableFinished),
    budget: new AnswerBudget(),
  };
}
