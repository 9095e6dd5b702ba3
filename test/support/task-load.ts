import type { ApiClient, TaskBody } from "./api-client.js";
import { SLOWNESS } from "./eventually.js";
import type { Acknowledged } from "./invariants.js";

export interface TaskLoadOptions {
  type: string;
  /** Creates per second on a quiet machine. */
  perSecond: number;
  /** Delays are spread evenly over this range. */
  delayMs: readonly [number, number];
  payload: object;
  /** Every n-th task is cancelled within a few milliseconds of its due time; default: none. */
  cancelEvery?: number;
  /** Tasks take this many keys in turn; if a task holds the key, the create moves that task. Default: no keys. */
  keys?: number;
}

/** An answer other than success, such as 503. */
export interface Refusal {
  status: number;
  code: string;
  retryAfter: string | null;
}

interface CancelBody {
  outcome: "cancelled" | "cancel_requested";
  task: TaskBody;
}

/** Backs off briefly and often enough that the load goes on as soon as the store is back. */
const BACKOFF = { kind: "fixed", delay: 200 };
const TICK_MS = 20;
/**
 * A slow machine gets fewer creates than a quiet one, because a node refuses what it cannot answer soon. A third is
 * enough to see losses.
 */
const EASED = Math.min(SLOWNESS, 3);

/**
 * A steady stream of creates over HTTP, in turn to every node, whether or not earlier ones were answered, and the log
 * of what was acknowledged. A create without an answer is neither repeated nor counted, because it may or may not have
 * happened.
 */
export class TaskLoad {
  readonly acknowledged = new Map<string, Acknowledged>();
  readonly refusals: Refusal[] = [];
  unanswered = 0;
  /** How long each create took until it was answered. */
  readonly createMs: number[] = [];
  readonly #inFlight = new Set<Promise<void>>();
  readonly #cancels = new Set<NodeJS.Timeout>();
  #timer: NodeJS.Timeout | undefined;
  #sent = 0;
  #isAbandoned = false;

  constructor(
    private targets: readonly ApiClient[],
    private readonly options: TaskLoadOptions,
  ) {}

  start(): this {
    const startMonoMs = performance.now();
    this.#timer = setInterval(() => {
      const due = ((performance.now() - startMonoMs) / 1_000) * (this.options.perSecond / EASED);
      while (this.#sent < due) this.track(this.create(this.#sent++));
    }, TICK_MS);
    return this;
  }

  /** From now on creates go to these nodes. */
  turnTo(nodes: readonly { client: ApiClient }[]): void {
    this.targets = nodes.map(({ client }) => client);
  }

  /** No more creates to this node. */
  drop(url: string): void {
    this.targets = this.targets.filter((target) => target.url !== url);
  }

  /** Ends the stream and waits for every answer, those of the cancels too. */
  async stop(): Promise<Acknowledged[]> {
    clearInterval(this.#timer);
    while (this.#inFlight.size + this.#cancels.size > 0) {
      await Promise.all(this.#inFlight);
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    }
    return [...this.acknowledged.values()];
  }

  /** Ends the stream and forgets what was still to be cancelled. */
  abandon(): void {
    this.#isAbandoned = true;
    clearInterval(this.#timer);
    for (const timer of this.#cancels) clearTimeout(timer);
    this.#cancels.clear();
  }

  private async create(index: number): Promise<void> {
    const { type, payload, delayMs, cancelEvery, keys } = this.options;
    const [from, to] = delayMs;
    // A step that is coprime to the count covers the whole range without a pattern in time.
    const delay = Math.round(from + ((to - from) * ((index * 37) % 101)) / 100);
    const target = this.targets[index % this.targets.length]!;
    const keyed = keys ? { key: `${type} ${index % keys}`, onConflict: "refresh" } : {};
    const input = { type, payload, delay, maxAttempts: 20, backoff: BACKOFF, ...keyed };
    const sentMonoMs = performance.now();
    const task = await this.answerOf(() => target.post<TaskBody>("/v1/tasks", input));
    this.createMs.push(performance.now() - sentMonoMs);
    if (!task) return;
    const acknowledged: Acknowledged = { id: task.id, cancel: null, atMs: Date.now() };
    this.acknowledged.set(task.id, acknowledged);
    if (cancelEvery && !this.#isAbandoned && index % cancelEvery === 0) this.cancelNear(acknowledged, { index, delay });
  }

  /** From 20 ms before the due time to 20 ms after it. */
  private cancelNear(acknowledged: Acknowledged, { index, delay }: { index: number; delay: number }): void {
    const timer = setTimeout(
      () => {
        this.track(this.cancel(acknowledged, index));
        this.#cancels.delete(timer);
      },
      delay - 20 + (index % 41),
    );
    this.#cancels.add(timer);
  }

  private async cancel(acknowledged: Acknowledged, index: number): Promise<void> {
    acknowledged.cancel = "unanswered";
    const target = this.targets[(index + 1) % this.targets.length]!;
    try {
      const { status, body } = await target.delete<CancelBody>(`/v1/tasks/${acknowledged.id}`);
      if (status === 200) {
        acknowledged.cancel = body.outcome;
        acknowledged.cancelAnswer = { atMs: Date.now(), fence: body.task.fence };
      }
      if (status === 409) acknowledged.cancel = null;
    } catch {
      this.unanswered++;
    }
  }

  private async answerOf(call: () => ReturnType<ApiClient["post"]>): Promise<TaskBody | undefined> {
    try {
      const { status, headers, body } = await call();
      if (status === 201 || status === 200) return body as TaskBody;
      this.refusals.push({ status, code: (body as Refusal)?.code, retryAfter: headers.get("retry-after") });
    } catch {
      this.unanswered++;
    }
    return undefined;
  }

  private track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#inFlight.delete(tracked));
    this.#inFlight.add(tracked);
  }
}
