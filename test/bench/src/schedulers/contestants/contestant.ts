/**
 * Whose options a contestant runs with: those that its documentation calls the fastest, those that it documents for
 * finding dead workers at their tightest, or none at all. `lean` is ours: it keeps nothing of what has succeeded or is
 * cancelled, and a cancel is answered without the task.
 */
export const settingsNames = ["best", "detection", "defaults", "lean"] as const;
export type SettingsName = (typeof settingsNames)[number];
/** What most jobs measure; only where workers are killed does it matter how soon that is found out. */
export const usualSettings: readonly SettingsName[] = ["best", "defaults"];

/** What a contestant is told when it starts. */
export interface ContestantSetup {
  readonly postgresUrl: string;
  readonly redisUrl: string;
  readonly settings: SettingsName;
  /** How many tasks may run at once, where the job prescribes it; null: the contestant's own choice. */
  readonly concurrency: number | null;
  /** False: no worker runs, only the client. */
  readonly works: boolean;
  /** Tasks are created over HTTP: `inspect` tells the `port`. */
  readonly serves: boolean;
  /** How many daily schedules are made first. Only our contestant has schedules. */
  readonly schedules: number;
}

/**
 * What the handler does beside taking down its start: nothing, hang for ever, fail at the first attempt of some tasks,
 * or wait as long as it was last told to.
 */
export type HandlerBehaviour = "ends" | "hangs" | "fails" | "waits";

/** What all processes of a contestant together may do: how many at once, or how many starts a second. */
export type ClusterLimit = { readonly maxRunning: number } | { readonly perSecond: number };

/** Whether a handler that fails does so at the first attempt of a task: of one in twenty. */
export function failsFirst(n: number): boolean {
  return n % 20 === 5;
}

/** What opens the API of a contestant that serves. */
export const BENCH_API_KEY = "bench-key-bench-key-bench-key-bench-key-bench";

/** What the bench's tasks are called. */
export const TASK_TYPE = "bench";

/** One task as all contestants get it. */
export interface BenchTask {
  readonly payload: BenchPayload;
  /** Epoch milliseconds, a whole number. */
  readonly dueAt: number;
  /** Default: none. */
  readonly tag?: string | undefined;
}

/** What a task carries; as JSON 200 bytes. */
export interface BenchPayload {
  /** Which task it is: counted from 0 within a repetition. */
  readonly n: number;
  readonly pad: string;
}

/**
 * A scheduler under measurement: client and worker in one process, as applications run it. Its worker calls `run` for
 * each task when it starts, and the task ends when that returns.
 */
export interface Contestant {
  /** How its bulk creation is called best: tasks in one call, and calls under way at once. */
  readonly bulk: { readonly size: number; readonly inFlight: number };
  /** @returns the id, once the task is as durable as this contestant makes it */
  create(task: BenchTask): Promise<string>;
  /** A task under a key, in place of the live one of the key. Only of one that has keys. @returns the id */
  createKeyed?(task: BenchTask, key: string): Promise<string>;
  /** Merges one into the number of the key's task. Only of one that has merges. */
  merge?(key: string, dueAt: number): Promise<void>;
  /** The sum of these numbers over all tasks. */
  merged?(): Promise<number>;
  /** One call for many tasks. @returns their ids */
  createMany(tasks: readonly BenchTask[]): Promise<string[]>;
  /** Resolves when the cancellation is acknowledged. */
  cancel(id: string): Promise<void>;
  /** Cancels the live tasks of a tag. Only of one that has tags. @returns how many */
  cancelTagged?(tag: string): Promise<number>;
  /**
   * Cancels all of the bench's tasks that are due from an instant on, in one operation. Resolves when it is over. Only
   * of one that has such operations. @returns the operation, and how many it has cancelled
   */
  cancelFrom?(dueFrom: number): Promise<{ id: string; tasks: number }>;
  /** Puts back what an operation has cancelled. Resolves when that is over. @returns how many it has put back */
  undo?(id: string): Promise<number>;
  /**
   * Limits the bench's tasks over all processes, from its end on; null takes every limit away. Only of one that has
   * such limits.
   */
  limit?(limit: ClusterLimit | null): Promise<void>;
  /** Tasks in the store that have not ended, those that run included. */
  pending(): Promise<number>;
  /** Whether everything that ended is where it stays. Only of one that leaves history to be written. */
  isTidy?(): Promise<boolean>;
  /** Figures of its own, by name, where it has some. */
  inspect?(): Promise<Record<string, number>>;
  /** Only of the bare database: what has to be called to do something with every task, in turn. */
  statements?(name: string): Promise<(() => Promise<unknown>)[]>;
  close(): Promise<void>;
}

/** What a contestant's module exports as `open`. */
export type OpenContestant = (setup: ContestantSetup, run: (n: number) => Promise<void> | void) => Promise<Contestant>;

const PAYLOAD_BYTES = 200;
const FRAME_BYTES = JSON.stringify({ n: "", pad: "" }).length - 2;

/** The payload of a task. */
export function payloadOf(n: number): BenchPayload {
  return { n, pad: "x".repeat(PAYLOAD_BYTES - FRAME_BYTES - String(n).length) };
}
