import { type DurationInput, TickwheelError } from "@tickwheel/core";
import type { DelayTask, DelayTaskContext, SpawnItem, TaskDefinition } from "@tickwheel/nestjs";

/** The first id of a task that is made by hand; those after it count on. */
const FIRST_ID = "01900000-0000-7000-8000-";

let made = 0;

/**
 * A task for a call of a handler by hand, as the scheduler would hand it over at its first attempt.
 *
 * @param payload what the handler gets: of a definition with a schema its output. Nothing checks it here
 * @param fields what is different, such as `{ attempt: 3 }`
 * @example await new UnpaidOrders(orders).handle(taskOf(CancelOrder, { orderId: "42" }), contextOf());
 */
export function taskOf<Payload>(
  task: string | TaskDefinition<Payload, unknown>,
  payload: NoInfer<Payload>,
  fields: Partial<Omit<DelayTask<Payload>, "payload">> = {},
): DelayTask<Payload> {
  const epoch = new Date(0);
  return {
    id: FIRST_ID + String(++made).padStart(12, "0"),
    namespace: "default",
    type: typeof task === "string" ? task : task.type,
    key: null,
    payload,
    attempt: 1,
    maxAttempts: 3,
    crashCount: 0,
    priority: 5,
    fence: 1,
    scheduledAt: epoch,
    dueAt: epoch,
    createdAt: epoch,
    ...fields,
  };
}

/** What a test gives a handler that it calls by hand. */
export interface ContextParts extends Partial<
  Pick<
    DelayTaskContext,
    | "signal"
    | "attempt"
    | "fence"
    | "idempotencyKey"
    | "schedule"
    | "occurrenceAt"
    | "missed"
    | "batchId"
    | "shard"
    | "logger"
  >
> {
  /** What `transaction`, `once` and `walk` hand to their work. Default: an empty object. */
  manager?: object | undefined;
  /** The checkpoint of an earlier attempt. Default: none. */
  checkpoint?: unknown;
  /** Steps of earlier attempts by their names, with what they answered. Default: none. */
  steps?: Readonly<Record<string, unknown>> | undefined;
}

/** A context that notes what a handler did with it. It fits handlers with any library's transactions. */
export interface RecordedContext extends DelayTaskContext<never> {
  /** For how long it was put off, as the handler said it; null: it was not. */
  readonly snoozed: DurationInput | null;
  /** How it has deferred its type; null: it has not. */
  readonly deferred: { delay: DurationInput; reason: string | null } | null;
  readonly spawned: readonly SpawnItem[];
  /** The last progress; null: none was told. */
  readonly progressed: { value: number; note: string | null } | null;
  /** Whether `transaction` has run to its end, which completes the task. */
  readonly completed: boolean;
  /** Steps of `once` by name, with what they answered. */
  readonly stepResults: Readonly<Record<string, unknown>>;
}

const SILENT = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

/**
 * A context for a call of a handler by hand: no task stands behind it, and nothing is committed. What a handler stores
 * by it is what JSON keeps of it, as in production. Once its `signal` has fired, calls that leave something behind
 * throw `LEASE_LOST`, as there.
 *
 * @example
 * const ctx = contextOf({ manager: fakeManager });
 * await handler.handle(taskOf(CancelOrder, { orderId: "42" }), ctx);
 * expect(ctx.completed).toBe(true);
 */
export function contextOf(parts: ContextParts = {}): RecordedContext {
  return new HandContext(parts);
}

class HandContext implements RecordedContext {
  snoozed: DurationInput | null = null;
  deferred: RecordedContext["deferred"] = null;
  readonly spawned: SpawnItem[] = [];
  progressed: { value: number; note: string | null } | null = null;
  completed = false;
  readonly stepResults: Record<string, unknown>;
  private state: unknown;

  constructor(private readonly parts: ContextParts) {
    this.stepResults = { ...parts.steps };
    this.state = parts.checkpoint ?? null;
  }

  get signal(): AbortSignal {
    return this.parts.signal ?? NEVER_ABORTED;
  }

  get attempt(): number {
    return this.parts.attempt ?? 1;
  }

  get fence(): number {
    return this.parts.fence ?? 1;
  }

  get idempotencyKey(): string {
    return this.parts.idempotencyKey ?? `${FIRST_ID}000000000000`;
  }

  get schedule(): string | null {
    return this.parts.schedule ?? null;
  }

  get occurrenceAt(): Date | null {
    return this.parts.occurrenceAt ?? null;
  }

  get missed(): number {
    return this.parts.missed ?? 0;
  }

  get batchId(): string | null {
    return this.parts.batchId ?? null;
  }

  get shard(): DelayTaskContext["shard"] {
    return this.parts.shard ?? null;
  }

  get logger(): DelayTaskContext["logger"] {
    return this.parts.logger ?? SILENT;
  }

  snooze(delay: DurationInput): void {
    this.requireKept("snooze");
    this.snoozed = delay;
  }

  defer(delay: DurationInput, { reason = null }: { reason?: string | null } = {}): void {
    this.requireKept("defer");
    this.snoozed = delay;
    this.deferred = { delay, reason };
  }

  async transaction<T>(work: (manager: never) => Promise<T>): Promise<T> {
    this.requireKept("transaction");
    const value = await work(this.manager);
    this.requireKept("transaction");
    this.completed = true;
    return value;
  }

  async once<T>(name: string, work: (manager: never) => Promise<T>): Promise<T> {
    this.requireKept("once");
    if (!Object.hasOwn(this.stepResults, name)) {
      const value = await work(this.manager);
      this.requireKept("once");
      this.stepResults[name] = kept(value);
    }
    return this.stepResults[name] as T;
  }

  async walk<From>(step: (from: From | null, manager: never) => Promise<From | null>): Promise<void> {
    let from: From | null = null;
    do {
      this.requireKept("walk");
      from = kept(await step(from, this.manager));
      this.requireKept("walk");
      this.state = { walk: from === null ? { done: true } : { from } };
    } while (from !== null);
  }

  async checkpoint(state: unknown): Promise<void> {
    this.requireKept("checkpoint");
    this.state = kept(state);
  }

  async lastCheckpoint<T = unknown>(): Promise<T | null> {
    return kept(this.state) as T | null;
  }

  progress(value: number, note: string | null = null): void {
    if (this.signal.aborted) return;
    this.progressed = { value, note };
  }

  async spawn(tasks: readonly SpawnItem[]): Promise<void> {
    this.requireKept("spawn");
    this.spawned.push(...tasks);
  }

  private requireKept(call: string): void {
    if (this.signal.aborted)
      throw new TickwheelError("LEASE_LOST", `The attempt was aborted: ctx.${call} does nothing any more.`, {
        cause: this.signal.reason,
      });
  }

  private get manager(): never {
    return (this.parts.manager ?? {}) as never;
  }
}

const NEVER_ABORTED = new AbortController().signal;

/** What is left of a value that was stored as JSON. */
function kept<T>(value: T): T {
  const text = JSON.stringify(value) as string | undefined;
  return (text === undefined ? null : JSON.parse(text)) as T;
}
