import {
  type AttemptJudge,
  type Execution,
  type ExecutionResult,
  type Executor,
  DEFAULT_OPTIONS,
  errorChainOf,
  errorText,
  type Json,
  jsonValueOf,
  type NewTask,
  type ClaimedTask,
  GOES_ON,
  NonRetryableError,
  type Occurrences,
  payloadVersionOf,
  RetryAtError,
  type TaskType,
  type TypeDeferral,
  TickwheelError,
} from "@tickwheel/core";
import { type JudgeOptions, OpossumJudge } from "./attempt-judge.js";
import { type ContextPorts, ExecutionContext, type ResultRules } from "../context/execution-context.js";
import type { HandlerContext } from "../context/handler-context.js";
import { resultText } from "../context/result-text.js";

/** What a handler is called for. The rest of the execution is in its context. */
export interface HandledExecution extends Pick<Execution, "task" | "type"> {
  /** The value of the task's payload, the handler's own; or what the handler's `read` makes of it. */
  payload: unknown;
}

/**
 * What a handler's `read` makes of a payload; or why it is none for this handler. `retryable`: a later attempt, perhaps
 * on another node, may take it; else the task ends dead.
 */
export type PayloadReading = { payload: unknown } | { misfit: string; retryable: boolean };

/** An in-process handler. What it returns is the task's result. */
export interface Handler {
  namespace: string;
  type: string;
  /** At most so many at once on this node; default: the node's limit. */
  concurrency?: number;
  /** When the breaker of its type opens; default: it has none. */
  breaker?: JudgeOptions;
  /**
   * Whether the task still has to run: asked at each attempt, right before `handle`. Where it answers false, nothing is
   * called, and the task ends succeeded, with the reason `SKIPPED`. Default: each has to.
   */
  condition?(execution: HandledExecution, context: HandlerContext): Promise<boolean> | boolean;
  /**
   * What `condition` and `handle` get of a stored payload; part of the attempt, before `condition`. `version`: of the
   * payload, null: none. Default: the payload as it is stored.
   */
  read?(stored: Json, version: number | null): Promise<PayloadReading>;
  /** Whether a result is a success; one that is none is a failed attempt. Default: each is. */
  succeeded?(result: unknown): boolean;
  // A method signature, so that applications may narrow payload and transaction.
  handle(execution: HandledExecution, context: HandlerContext): Promise<Json | void> | Json | void;
}

/** Series of tasks: each makes the next one when it starts. */
export interface Series {
  /** Makes the next task, unless the series has ended or gone on already. @throws while the store is away */
  goOn(started: ClaimedTask): Promise<void>;
}

/** What handlers are run with. */
export interface HandlerPorts extends ContextPorts {
  /** Which tasks are occurrences of schedules. Default: none. */
  occurrences?: Occurrences;
  /** What makes the next task of a series. Default: nothing does. */
  series?: Series;
}

/**
 * Runs tasks by functions of this process. Never throws, whatever they throw or return: what a handler throws becomes a
 * failure, `NonRetryableError` a final one, and `RetryAtError` one with its own time. A result that has no JSON, or too
 * much of it, ends the task dead: its handler is done, and running it again would repeat what it did. Once the
 * handler's transaction has committed, nothing that it does afterwards changes the outcome. A handler's condition is
 * part of the attempt: what it throws is a failure, too, and its signal is the handler's.
 *
 * An attempt ends after the calls of its context that the handler has begun, awaited or not. What else a handler leaves
 * behind (a promise of its own, a listener of its signal that throws) is the application's.
 */
export class HandlerExecutor implements Executor {
  /** By namespace, then by type. */
  private readonly handlers = new Map<string, Map<string, Handler>>();
  private readonly rules = new Map<Handler, ResultRules>();

  constructor(
    private readonly ports: HandlerPorts,
    private readonly resultLimitBytes = DEFAULT_OPTIONS.resultLimitBytes,
  ) {}

  /** @throws TickwheelError `CONFIGURATION_INVALID` when the type has a handler already */
  register(handler: Handler): void {
    const { namespace, type } = handler;
    const ofNamespace = this.handlers.get(namespace) ?? new Map<string, Handler>();
    if (ofNamespace.has(type))
      throw new TickwheelError(
        "CONFIGURATION_INVALID",
        `There are two handlers for the type "${type}" of the namespace "${namespace}" in this process; one is allowed.`,
      );
    this.handlers.set(namespace, ofNamespace.set(type, handler));
  }

  /** The registered handlers' types. */
  types(): { namespace: string; type: string }[] {
    return [...this.handlers.values()]
      .flatMap((types) => [...types.values()])
      .map(({ namespace, type }) => ({ namespace, type }));
  }

  canRun(type: TaskType): boolean {
    return type.delivery === "handler" && this.handlerOf(type) !== undefined;
  }

  limits(type: TaskType): { concurrency?: number } {
    return { concurrency: this.handlerOf(type)?.concurrency };
  }

  judge(type: TaskType, opens: () => void): AttemptJudge | null {
    const breaker = this.handlerOf(type)?.breaker;
    return breaker ? new OpossumJudge(breaker, opens) : null;
  }

  async run(execution: Execution): Promise<ExecutionResult> {
    const handler = this.handlerOf(execution.type);
    if (!handler) return { kind: "failed", error: `No handler for ${execution.type.type}`, retryable: true };
    const payload = payloadOf(execution);
    if (payload === UNREADABLE) return misfit("The payload is no JSON");
    const context = new ExecutionContext(execution, this.ports, this.rulesOf(handler));
    if (this.ports.occurrences?.isOccurrence(execution.task.key)) {
      const isTold = await this.tellOccurrence(context, execution);
      if (!isTold) return { kind: "deferred", delayMs: OCCURRENCE_AGAIN_MS, reason: "NOT_READY" };
    }
    const goesOn = (execution.task.given & GOES_ON) !== 0;
    if (goesOn && !(await this.continueSeries(execution)))
      return { kind: "deferred", delayMs: SERIES_AGAIN_MS, reason: "NOT_READY" };
    const result = await this.call(handler, { task: execution.task, type: execution.type, payload }, context);
    const told = context.end();
    if (told) await told;
    return result;
  }

  private async call(
    handler: Handler,
    execution: HandledExecution,
    context: ExecutionContext,
  ): Promise<ExecutionResult> {
    const { clock } = this.ports;
    const startedMonoMs = clock.monotonicMs();
    try {
      const reading = handler.read && (await handler.read(execution.payload as Json, payloadVersionOf(execution.task)));
      if (reading && "misfit" in reading) return misfit(reading.misfit, reading.retryable);
      const handled = reading ? { ...execution, payload: reading.payload } : execution;
      const isCalled = handler.condition === undefined || (await isWanted(handler, handled, context));
      const value = isCalled ? await handler.handle(handled, context) : undefined;
      const begun = context.endCalls();
      if (begun) await begun;
      if (context.committed) return NO_RESULT;
      if (context.snoozedMs !== null) return snoozed(context.snoozedMs, context.deferral);
      if (!isCalled) return { kind: "skipped" };
      requireSuccessOf(handler, value);
      return withSpawned(this.outcomeOf(value), context.spawned);
    } catch (error) {
      if (context.committed) return afterCompletion(context, error);
      return failureOf(error, context.startedAt + clock.monotonicMs() - startedMonoMs);
    }
  }

  /**
   * False: the store does not say now which instant it runs for. It starts with its claim, as the task's row says: a
   * decision that comes before this call reads it there, and must find that it stands for the same instant.
   */
  private async tellOccurrence(context: ExecutionContext, { task }: Execution): Promise<boolean> {
    try {
      context.occurrence = await this.ports.occurrences!.begin(task.id, Math.max(task.claimedAt, task.dueAt));
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Writes the next task of a series. False: the next one cannot be written now, and this one starts only behind that.
   */
  private async continueSeries({ task }: Execution): Promise<boolean> {
    try {
      await this.ports.series?.goOn(task);
      return true;
    } catch {
      return false;
    }
  }

  /** Made once for each handler. */
  private rulesOf(handler: Handler): ResultRules {
    const known = this.rules.get(handler);
    if (known) return known;
    const requireSuccess = (result: unknown): void => requireSuccessOf(handler, result);
    const rules = { limitBytes: this.resultLimitBytes, requireSuccess };
    this.rules.set(handler, rules);
    return rules;
  }

  private handlerOf({ namespace, type }: TaskType): Handler | undefined {
    return this.handlers.get(namespace)?.get(type);
  }

  private outcomeOf(value: unknown): ExecutionResult {
    if (value === undefined) return NO_RESULT;
    try {
      return { kind: "succeeded", result: resultText(value, this.resultLimitBytes) };
    } catch (error) {
      return { kind: "failed", error: resultFault(error), retryable: false, reason: "RESULT_INVALID" };
    }
  }
}

/** An occurrence that cannot be told its instant is given back without a charge for so long. */
const OCCURRENCE_AGAIN_MS = 1_000;

/** A task behind which its series cannot go on is given back without a charge for so long. */
const SERIES_AGAIN_MS = 1_000;

const NO_RESULT: ExecutionResult = { kind: "succeeded", result: null };

/** The task has succeeded, whatever its handler throws after that; the application's log has it. */
function afterCompletion(context: HandlerContext, thrown: unknown): ExecutionResult {
  const error = handlerErrorText(thrown);
  context.logger.warn("The handler failed after its transaction had completed the task; it is not run again", {
    error,
  });
  return NO_RESULT;
}

/** Only what ends well spawns. */
function snoozed(delayMs: number, deferral: TypeDeferral | null): ExecutionResult {
  return { kind: "snoozed", delayMs, ...(deferral === null ? {} : { defersType: deferral }) };
}

function withSpawned(result: ExecutionResult, spawned: readonly NewTask[] | undefined): ExecutionResult {
  return result.kind === "succeeded" && spawned ? { ...result, spawned } : result;
}

/**
 * Whether the handler is to be called: its condition says so, and has not ended the execution itself. @throws what the
 * condition throws; an error where its answer is neither yes nor no, or where the signal has fired meanwhile
 */
async function isWanted(handler: Handler, handled: HandledExecution, context: ExecutionContext): Promise<boolean> {
  const answer: unknown = await handler.condition!(handled, context);
  if (context.committed || context.snoozedMs !== null) return false;
  if (typeof answer !== "boolean")
    throw new TypeError(`The condition must answer true or false, not ${answer === null ? "null" : typeof answer}.`);
  if (answer) context.signal.throwIfAborted();
  return answer;
}

const SHOWN_RESULT = 200;

/** @throws Error where the handler says that its result is no success */
function requireSuccessOf(handler: Handler, result: unknown): void {
  if (!handler.succeeded || handler.succeeded(result)) return;
  throw new Error(`The result is no success: ${shownResult(result)}`);
}

function shownResult(result: unknown): string {
  try {
    return (JSON.stringify(result) ?? "undefined").slice(0, SHOWN_RESULT);
  } catch {
    return "it has no JSON";
  }
}

/** Without our own stack: it tells nothing. */
function resultFault(error: unknown): string {
  if (!(error instanceof TickwheelError)) return errorText(error);
  return error.cause === undefined ? error.message : `${error.message}: ${errorText(error.cause)}`;
}

/** The result for a payload that does not fit its handler. */
function misfit(error: string, retryable = false): ExecutionResult {
  return { kind: "failed", error, retryable, reason: "PAYLOAD_INVALID" };
}

const UNREADABLE = Symbol("unreadable");

/** Nothing of ours writes a payload that cannot be read: this is about rows that others wrote. */
function payloadOf({ task }: Execution): Json | typeof UNREADABLE {
  try {
    return jsonValueOf(task.payload);
  } catch {
    return UNREADABLE;
  }
}

/**
 * Frames of ours, and of Node and OpenTelemetry's context below them: the packages as they are installed, and as this
 * repository has them.
 */
const OWN_FRAME =
  /^ {4}at .*(?:@tickwheel[\\/][a-z-]+|[\\/]libs[\\/](?:executors|engine|nestjs|observability))[\\/](?:src|dist)[\\/]/;
const CONTEXT_FRAME = /^ {4}at .*@opentelemetry[\\/](?:api|context-async-hooks)[\\/]/;
const NODE_FRAME = /^ {4}at .*node:internal/;
const NOT_THE_APPLICATIONS = [OWN_FRAME, CONTEXT_FRAME, NODE_FRAME];

/** An error's text with the application's frames alone: who looks for the cause looks there. */
function handlerErrorText(error: unknown): string {
  const lines = errorText(error).split("\n");
  return lines.filter((line) => !NOT_THE_APPLICATIONS.some((frame) => frame.test(line))).join("\n");
}

/**
 * What an error that a handler threw means. What it says about a further attempt its cause may say, too: the first of
 * the chain that says something counts. At the database's estimated `nowMs`.
 */
export function failureOf(error: unknown, nowMs: number): ExecutionResult {
  const failure = { kind: "failed", error: handlerErrorText(error), thrown: error } as const;
  const verdict = errorChainOf(error).find((one) => isA(one, NonRetryableError) || isA(one, RetryAtError));
  if (isA(verdict, NonRetryableError)) return { ...failure, retryable: false };
  const retryAfterMs = isA(verdict, RetryAtError) ? untilRetryMs(verdict, nowMs) : undefined;
  return { ...failure, retryable: true, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

/** `instanceof` for what is somebody else's: it throws on a revoked proxy. */
function isA<T>(value: unknown, type: new (...parameters: never[]) => T): value is T {
  try {
    return value instanceof type;
  } catch {
    return false;
  }
}

/** Undefined where its time is none: the task's backoff counts then. */
function untilRetryMs(error: RetryAtError, nowMs: number): number | undefined {
  try {
    const atMs = error.retryAt.getTime();
    return Number.isFinite(atMs) ? Math.max(0, atMs - nowMs) : undefined;
  } catch {
    return undefined;
  }
}
