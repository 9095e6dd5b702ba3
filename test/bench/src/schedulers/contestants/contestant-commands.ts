import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { type BenchTask, type ClusterLimit, type Contestant, payloadOf } from "./contestant.js";
import type { HandlerRuns, HandlerWork } from "./handler-work.js";
import { monoMs } from "./host-clock.js";
import type { Runs } from "./run-log.js";

const MIXED_CALLERS = 4;
const MIXED_PAUSE_MS = 5;

/** Tasks number `first` and following, one due every `everyMs` from `dueAt` on, rounded down to whole milliseconds. */
export interface TaskSeries {
  readonly first: number;
  readonly count: number;
  readonly dueAt: number;
  readonly everyMs: number;
}

/**
 * Callers that each create task after task, until the time is over; the tasks are due one millisecond after the other.
 */
export interface CreateLoad {
  readonly callers: number;
  readonly durationMs: number;
  readonly first: number;
  readonly dueAt: number;
  /** Every task has a tag, as its number says. Default: none has. */
  readonly isTagged?: boolean;
}

/** Callers that each merge again and again, into the tasks of so many keys in turn, until the time is over. */
export interface MergeLoad {
  readonly callers: number;
  readonly durationMs: number;
  readonly keys: number;
  readonly dueAt: number;
}

/** A series that is created in bulk. */
export interface BulkLoad {
  readonly series: TaskSeries;
  /** Only these of it. */
  readonly part?: { readonly first: number; readonly count: number };
  /** Keeps the ids, to be cancelled. */
  readonly keepsIds?: boolean;
  /** Each so many-th task has a tag. Default: none has. */
  readonly taggedEvery?: number;
}

/** How many tasks that follow each other share a tag, as far as they have any. */
const TASKS_OF_A_TAG = 50;

/** The tag of a task. */
function tagOf(n: number): string {
  return `order:${Math.floor(n / TASKS_OF_A_TAG)}`;
}

/**
 * Callers of all kinds beside each other, each with a pause after its call, until the time is over. What they create is
 * due at `dueAt`.
 */
export interface MixedLoad {
  readonly durationMs: number;
  readonly dueAt: number;
  /** For this key there are callers too, whose calls are not counted. */
  readonly crowdedKey: string;
  /** And for this one, whose calls are. */
  readonly secondKey: string;
}

/** What each call took, by kind of call, in milliseconds. */
export interface MixedReport {
  readonly create: Float64Array;
  readonly createKeyed: Float64Array;
  readonly cancel: Float64Array;
  readonly secondKey: Float64Array;
}

/** What a number of calls took. */
export interface CallReport {
  readonly calls: number;
  readonly elapsedMs: number;
  /** What each call took. */
  readonly callMs: Float64Array;
}

/** What an operation on many tasks did. */
export interface Operated {
  readonly tasks: number;
  readonly elapsedMs: number;
}

/** When a task of a series is due. */
export function dueAtOf({ first, dueAt, everyMs }: TaskSeries, n: number): number {
  return dueAt + Math.floor((n - first) * everyMs);
}

/** What a contestant's process does when it is told to. */
export class ContestantCommands {
  private ids: string[] = [];
  /** The operation that was made last. */
  private operationId: string | null = null;
  /** Made by the first who asks: it costs a timer each millisecond. */
  private turns: ReturnType<typeof monitorEventLoopDelay> | null = null;

  constructor(
    private readonly contestant: Contestant,
    private readonly work: HandlerWork,
  ) {}

  async create({ callers, durationMs, first, dueAt, isTagged = false }: CreateLoad): Promise<CallReport> {
    let n = first;
    const endMonoMs = monoMs() + durationMs;
    const taskOf = (place: number): BenchTask => ({
      dueAt: dueAt + place,
      payload: payloadOf(place),
      tag: isTagged ? tagOf(place) : undefined,
    });
    return timed(callers, () => (monoMs() < endMonoMs ? () => this.contestant.create(taskOf(n++)) : null));
  }

  /** Creates one task under a key. */
  async createKeyed({ key, dueAt }: { key: string; dueAt: number }): Promise<string> {
    if (!this.contestant.createKeyed) throw new Error("this contestant has no keys");
    return this.contestant.createKeyed({ dueAt, payload: payloadOf(0) }, key);
  }

  async merge({ callers, durationMs, keys, dueAt }: MergeLoad): Promise<CallReport> {
    const { contestant } = this;
    if (!contestant.merge) throw new Error("this contestant has no merges");
    const endMonoMs = monoMs() + durationMs;
    let n = 0;
    const call = (): Promise<void> => contestant.merge!(`merged ${keys} ${n++ % keys}`, dueAt);
    return timed(callers, () => (monoMs() < endMonoMs ? call : null));
  }

  /** The sum of all merges. */
  async merged(): Promise<number> {
    return (await this.contestant.merged?.()) ?? 0;
  }

  async mixed({ durationMs, dueAt, crowdedKey, secondKey }: MixedLoad): Promise<MixedReport> {
    const endMonoMs = monoMs() + durationMs;
    const ids: string[] = [];
    let n = 0;
    const task = (): BenchTask => ({ dueAt, payload: payloadOf(n++) });
    const paced = (call: () => Promise<unknown>): Promise<CallReport> =>
      timed(MIXED_CALLERS, () => (monoMs() < endMonoMs ? call : null), MIXED_PAUSE_MS);
    const [create, createKeyed, cancel, second] = await Promise.all([
      paced(async () => ids.push(await this.contestant.create(task()))),
      paced(() => this.createKeyed({ key: `key-${dueAt}-${n++}`, dueAt })),
      paced(async () => {
        const id = ids.shift();
        if (id !== undefined) await this.contestant.cancel(id);
      }),
      paced(() => this.createKeyed({ key: secondKey, dueAt })),
      // A call that meets the lock may be refused, and comes again.
      paced(() => this.createKeyed({ key: crowdedKey, dueAt }).catch(() => undefined)),
    ]);
    return {
      create: create.callMs,
      createKeyed: createKeyed.callMs,
      cancel: cancel.callMs,
      secondKey: second.callMs,
    };
  }

  /** Creates a series in bulk. */
  async bulk({ series, part = series, keepsIds = false, taggedEvery }: BulkLoad): Promise<CallReport> {
    const { size, inFlight } = this.contestant.bulk;
    const end = part.first + part.count;
    let next = part.first;
    this.ids = [];
    const createChunk = async (): Promise<void> => {
      const tasks: BenchTask[] = [];
      for (; next < end && tasks.length < size; next++)
        tasks.push({
          payload: payloadOf(next),
          dueAt: dueAtOf(series, next),
          tag: taggedEvery !== undefined && next % taggedEvery === 0 ? tagOf(next) : undefined,
        });
      const ids = await this.contestant.createMany(tasks);
      if (ids.length !== tasks.length) throw new Error(`${ids.length} ids for ${tasks.length} tasks`);
      if (keepsIds) this.ids.push(...ids);
    };
    return timed(inFlight, () => (next < end ? createChunk : null));
  }

  /** Cancels what the last `bulk` created, or only each task whose place in it is a multiple of `every`. */
  async cancel({ callers, every = 1 }: { callers: number; every?: number }): Promise<CallReport> {
    const ids = this.ids.filter((_, i) => i % every === 0);
    let next = 0;
    return timed(callers, () => (next < ids.length ? () => this.contestant.cancel(ids[next++]!) : null));
  }

  /** Cancels the tasks of so many tags, spread over those of the first `tasks` tasks, one tag after the other. */
  async cancelTags({ tags, tasks }: { tags: number; tasks: number }): Promise<CallReport & { cancelled: number }> {
    const every = Math.floor(tasks / tags);
    let next = 0;
    let cancelled = 0;
    const cancelOne = async (place: number): Promise<void> => {
      cancelled += await this.contestant.cancelTagged!(tagOf(place * every));
    };
    const report = await timed(1, () => (next < tags ? () => cancelOne(next++) : null));
    return { ...report, cancelled };
  }

  /** Cancels what is due from an instant on, in one operation. */
  async cancelFar({ dueFrom }: { dueFrom: number }): Promise<Operated> {
    if (!this.contestant.cancelFrom) throw new Error("this contestant has no operations on many tasks");
    const startMonoMs = monoMs();
    const { id, tasks } = await this.contestant.cancelFrom(dueFrom);
    this.operationId = id;
    return { tasks, elapsedMs: monoMs() - startMonoMs };
  }

  /** Puts back what the last `cancelFar` cancelled. */
  async undo(): Promise<Operated> {
    if (this.operationId === null || !this.contestant.undo) throw new Error("nothing was cancelled by an operation");
    const startMonoMs = monoMs();
    const tasks = await this.contestant.undo(this.operationId);
    return { tasks, elapsedMs: monoMs() - startMonoMs };
  }

  /** The longest turn of this process's event loop since the last call of this, in milliseconds. */
  async takeLongestTurn(): Promise<number> {
    const turns = (this.turns ??= monitorEventLoopDelay({ resolution: 1 }));
    turns.enable();
    const longestMs = turns.count === 0 ? 0 : turns.max / 1e6;
    turns.reset();
    return longestMs;
  }

  pending(): Promise<number> {
    return this.contestant.pending();
  }

  async isTidy(): Promise<boolean> {
    return (await this.contestant.isTidy?.()) ?? true;
  }

  async started(): Promise<number> {
    return this.work.starts.count;
  }

  async runs(): Promise<Runs> {
    return this.work.starts.runs();
  }

  async takeRuns(): Promise<Runs> {
    return this.work.starts.take();
  }

  /** All handlers that wait since the last call of this. */
  async takeHandlerRuns(): Promise<HandlerRuns> {
    return this.work.takeRuns();
  }

  /** From now on each handler of this process that waits takes so long. */
  async handlersTake({ ms }: { ms: number }): Promise<void> {
    this.work.take(ms);
  }

  /** Limits what runs in all processes together; null takes the limits away. */
  async limit({ limit }: { limit: ClusterLimit | null }): Promise<void> {
    if (!this.contestant.limit) throw new Error("this contestant has no limits of the whole cluster");
    await this.contestant.limit(limit);
  }

  /** The resident memory of this process, and the contestant's own figures. */
  async inspect(): Promise<Record<string, number>> {
    return { rssBytes: process.memoryUsage.rss(), ...(await this.contestant.inspect?.()) };
  }

  /** Works on all tasks that are there, in statements of many rows, where the contestant is the bare database. */
  async statement({ name }: { name: string }): Promise<CallReport> {
    const statements = await this.contestant.statements?.(name);
    if (!statements) throw new Error(`no statements ${name}`);
    let next = 0;
    return timed(1, () => statements[next++] ?? null);
  }

  close(): Promise<void> {
    return this.contestant.close();
  }
}

/** Runs calls one after the other in each of `lanes`, with a pause after each, until there are no more. */
async function timed(lanes: number, next: () => (() => Promise<unknown>) | null, pauseMs = 0): Promise<CallReport> {
  const callMs: number[] = [];
  const startMonoMs = monoMs();
  const lane = async (): Promise<void> => {
    for (let call = next(); call; call = next()) {
      const calledMonoMs = monoMs();
      await call();
      callMs.push(monoMs() - calledMonoMs);
      if (pauseMs > 0) await wait(pauseMs);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { calls: callMs.length, elapsedMs: monoMs() - startMonoMs, callMs: Float64Array.from(callMs) };
}
