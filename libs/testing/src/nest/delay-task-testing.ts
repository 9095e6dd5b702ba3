import {
  type DurationInput,
  type EpochMs,
  LEASE_BOUNDS,
  MAX_DELAY_MS,
  parseDurationMs,
  SCHEDULE_KEY,
  type Task,
} from "@tickwheel/core";
import type { SchedulerNode } from "@tickwheel/engine";
import { type DelayTaskNode, delayTaskNodeToken, DelayTaskService, type TaskDefinition } from "@tickwheel/nestjs";
import type { NodeStores } from "@tickwheel/nestjs/internals";
import { ExpectedTask } from "./expected-task.js";
import { LeftOut } from "./left-out.js";
import { firstTask, nextInstant } from "./next-instant.js";
import { PulledTask } from "./pulled-task.js";
import { RetentionHint } from "./retention-hint.js";
import type { StoreTraffic } from "./store-traffic.js";
import type { HandlerRun, TestRuns } from "./test-runs.js";
import type { TestTime } from "./test-time.js";

/**
 * Nothing is simulated over a longer pause than this but its last part: a month is as quick as a minute. Milliseconds.
 */
const LONGEST_RUN_MS = 5_000;
/** The last part of a long pause, which the node goes through at work. Milliseconds. */
const LAST_PART_MS = 100;
const NEVER_CHECKED = "An expectation is checked when it is awaited, and these were not: ";
/** Default of `maxRuns`; a drain that has run so many tasks does not end. */
const MAX_RUNS = 10_000;
/** After so many instants in turn at which nothing ran, a move looks whether what is due has anybody who runs it. */
const MAX_IDLE_STEPS = 300;

type AnyTask = string | Pick<TaskDefinition<unknown>, "type">;

/** What a test moves. */
export interface TestingParts {
  node: DelayTaskNode;
  scheduler: SchedulerNode;
  stores: NodeStores;
  time: TestTime;
  traffic: StoreTraffic;
  runs: TestRuns;
  /** Whether its stores have batches. */
  hasBatches: boolean;
  /** Tells of what is wrong when no call is there to fail. */
  log(message: string): void;
}

/** Options of a move. */
export interface AdvanceOptions {
  /**
   * True: time passes while handlers run, so that one reaches its time-out. Default false: a handler takes no time,
   * however long it really takes.
   */
  whileRunning?: boolean | undefined;
  /**
   * Types that are left out, as if they and their schedules were paused meanwhile: none of their tasks runs, and their
   * schedules skip the instants. Tasks that become due wait, and run at the next move. Default: none.
   */
  without?: readonly AnyTask[] | undefined;
  /** More calls of handlers than this are an error that names the type. At least 1; default 10,000. */
  maxRuns?: number | undefined;
}

/**
 * The delayed tasks of an application under test, and its time. The clock stands still, and no handler runs, until the
 * test says so. Then the real scheduler runs the real handlers, in the order of their due times; only the clock is
 * moved by hand and, unless the test asks for Postgres, the stores are in memory.
 *
 * @example
 * const tasks = DelayTaskTesting.of(app);
 * await app.get(Orders).place("42");
 * await tasks.expectTask(CancelOrder).withKey("42").dueIn("15m");
 * await tasks.advance("15m"); // the handler has run
 */
export class DelayTaskTesting {
  private static readonly ofNodes = new WeakMap<DelayTaskNode, DelayTaskTesting>();
  private readonly service: DelayTaskService;
  private readonly retention: RetentionHint;
  private readonly expectations: ExpectedTask<never>[] = [];
  private isMoving = false;

  /** For the testing module. */
  constructor(private readonly parts: TestingParts) {
    const { node } = parts;
    this.service = new DelayTaskService(node);
    this.retention = new RetentionHint(parts, this.service, node.options.scheduler);
    node.beforeStop(() => {
      parts.traffic.end();
      if (this.forgotten().length > 0) parts.log(NEVER_CHECKED + this.forgotten().join("; "));
    });
    DelayTaskTesting.ofNodes.set(node, this);
  }

  /**
   * The kit of an application, or of its testing module.
   *
   * @param app what `compile()` answers
   * @param name of a module that has one
   * @throws Error when its `DelayTaskModule` is not one of a test
   */
  static of(app: { get(token: never, options: { strict: false }): unknown }, name?: string): DelayTaskTesting {
    return DelayTaskTesting.ofNode(app.get(delayTaskNodeToken(name) as never, { strict: false }) as DelayTaskNode);
  }

  /** The kit of a node. @throws Error when it is not one of a test */
  static ofNode(node: DelayTaskNode): DelayTaskTesting {
    const testing = DelayTaskTesting.ofNodes.get(node);
    if (testing) return testing;
    throw new Error(
      "This application's DelayTaskModule is a real one: import DelayTaskTestingModule.forRoot() in its place, or build the module by DelayTaskTestingModule.in(Test.createTestingModule(…)).",
    );
  }

  /** The time of the test: what the scheduler takes for now. */
  get now(): Date {
    return new Date(this.parts.time.nowMs);
  }

  /**
   * Moves the time ahead. All that becomes due on the way runs at its instant, and what is due after that, such as a
   * retry, too. A month is as quick as a minute: only the instants at which something happens are gone through.
   *
   * @param duration milliseconds, or a text such as `"15m"`
   * @returns the calls of handlers that ended on the way, in their order
   * @throws Error when a handler does not end within 30 s of real time; when more than `maxRunsAtOnce` handlers begin
   *   at one instant, or more than `maxRuns` in all; when at 300 instants in turn nothing runs, and a task is due whose
   *   type nobody runs. Each names the type, and the time stands where it was
   * @example await tasks.advance("7d", { without: [Heartbeat] }); // a week without its 60,480 beats
   */
  async advance(duration: DurationInput, options: AdvanceOptions = {}): Promise<HandlerRun[]> {
    const delayMs = requireDelay("advance", duration);
    return this.move(() => this.goBounded(this.parts.time.nowMs + delayMs, options), options);
  }

  /**
   * Moves the time ahead to an instant, as {@link advance} does.
   *
   * @throws RangeError when it has passed
   */
  async advanceTo(instant: Date, options: AdvanceOptions = {}): Promise<HandlerRun[]> {
    const leftMs = instant.getTime() - this.parts.time.nowMs;
    if (!(leftMs >= 0)) throw new RangeError(`${String(instant)} is before the test's time, ${this.now.toISOString()}`);
    return this.move(() => this.goBounded(instant.getTime(), options), options);
  }

  /** Runs what is due now, without moving the time, and what becomes due by that. */
  async runDue(): Promise<HandlerRun[]> {
    return this.move(() => this.runDueNow({}));
  }

  /**
   * Lets time pass while no node runs, as in a release that went wrong. Then the node is there again, and runs what is
   * due: so it shows what a schedule makes of instants that it missed, and a task of its start deadline.
   *
   * @param duration milliseconds, or a text such as `"1h"`
   * @returns the calls of handlers that ended after it
   */
  async outage(duration: DurationInput): Promise<HandlerRun[]> {
    const delayMs = requireDelay("outage", duration);
    return this.move(async () => {
      await this.passWithoutNode(this.parts.time.nowMs + delayMs);
      await this.runDueNow({});
    });
  }

  /**
   * Moves the time from one due task to the next until none waits any more: retries, and tasks that handlers create,
   * included. Paused ones are left, those that nobody runs, and the occurrences of schedules, which never end: those
   * before the last task run.
   *
   * @param task only tasks of this type are waited for. Default: of any type
   * @throws Error when 10,000 tasks have run and some still wait, and as {@link advance} says; it names the type
   */
  async drain(task?: AnyTask): Promise<HandlerRun[]> {
    const before = this.parts.runs.count;
    return this.move(async () => {
      await this.runDueNow({});
      for (let next = await this.nextWaiting(task); next !== null; next = await this.nextWaiting(task)) {
        await this.goTo(next.dueAt, {});
        if (this.parts.runs.count - before > MAX_RUNS)
          throw new Error(
            `After ${MAX_RUNS} runs tasks still wait, the next one of the type "${next.type}": a handler makes a new one each time, it seems.`,
          );
      }
    });
  }

  /**
   * Fetches due tasks of a type whose delivery is `pull`, the oldest first, as a consumer does. A lease lasts 30 s of
   * the test's time unless it is extended.
   *
   * @param max at most so many; default 1
   * @example const [resize] = await tasks.pull("image.resize");
   * await resize!.complete({ width: 640 });
   */
  async pull<Payload>(
    task: string | TaskDefinition<unknown, Payload>,
    { max = 1 }: { max?: number } = {},
  ): Promise<PulledTask<Payload>[]> {
    const { queues, service, options } = this.parts.node;
    const { namespace } = options;
    const named = { namespace, type: typeof task === "string" ? task : task.type };
    if ((await service.typeIdOf(named)) === null) return [];
    const ask = { consumer: "test", max, leaseMs: LEASE_BOUNDS.defaultMs, waitMs: 0 };
    const { claims } = await queues.claim(named, ask);
    return claims.map((claim) => new PulledTask(queues, claim, namespace));
  }

  /**
   * Says that there is one task of this type that has not ended and is as the chain says. To be awaited.
   *
   * @example await tasks.expectTask(CancelOrder).withKey("42").dueIn("15m");
   * @returns the task
   * @throws Error with what there is instead
   */
  expectTask<Payload>(task: string | TaskDefinition<unknown, Payload>): ExpectedTask<Payload> {
    return this.expectation(task, true);
  }

  /**
   * Says that there is no such task. To be awaited.
   *
   * @example await tasks.expectNoTask(CancelOrder).withKey("42");
   */
  expectNoTask<Payload>(task: string | TaskDefinition<unknown, Payload>): ExpectedTask<Payload> {
    return this.expectation(task, false);
  }

  /** Expectations that nobody awaited, so that they were never checked, in words. */
  private forgotten(): string[] {
    return this.expectations.filter(({ wasChecked }) => !wasChecked).map(({ sentence }) => sentence);
  }

  private expectation<Payload>(
    task: string | TaskDefinition<unknown, Payload>,
    isWanted: boolean,
  ): ExpectedTask<Payload> {
    const whyGone = (type: string, key?: string): Promise<string | null> => this.retention.whyGone(type, key);
    const made = new ExpectedTask<Payload>(task, { tasks: this.service, now: () => this.now, whyGone }, isWanted);
    this.expectations.push(made as ExpectedTask<never>);
    return made;
  }

  private async move(work: () => Promise<void>, { without = [] }: AdvanceOptions = {}): Promise<HandlerRun[]> {
    const { scheduler, traffic, runs } = this.parts;
    if (!scheduler.isStarted) throw new Error("The application has not started: call `await app.init()` first.");
    if (this.isMoving) throw new Error("The time is being moved already: await that first.");
    const forgotten = this.forgotten();
    if (forgotten.length > 0) throw new Error(NEVER_CHECKED + forgotten.join("; "));
    const before = runs.count;
    this.isMoving = true;
    let leftOut: LeftOut | undefined;
    try {
      // Before anything may be claimed.
      leftOut = await LeftOut.of(this.service, without.map(typeOf));
      traffic.admit();
      await work();
      return runs.since(before);
    } finally {
      traffic.hold();
      this.isMoving = false;
      await leftOut?.end();
    }
  }

  /** As {@link goTo}, and no more than so many runs. */
  private goBounded(targetMs: EpochMs, options: AdvanceOptions): Promise<void> {
    const { maxRuns = MAX_RUNS } = options;
    if (!(Number.isInteger(maxRuns) && maxRuns >= 1))
      throw new RangeError(`maxRuns takes an integer of at least 1, not ${String(maxRuns)}`);
    const { runs } = this.parts;
    const before = runs.count;
    const requireBound = (): void => {
      if (runs.count - before > maxRuns) throw tooManyRuns(runs.since(before), { maxRuns, now: this.now });
    };
    return this.goTo(targetMs, { ...options, requireBound });
  }

  private async goTo(targetMs: EpochMs, options: AdvanceOptions & { requireBound?: () => void }): Promise<void> {
    const without = new Set(options.without?.map(typeOf));
    const nextAhead = (): Promise<EpochMs | null> => this.nextAhead(without);
    await this.runDueNow(options);
    let idleSteps = 0;
    for (let next = await nextAhead(); next !== null && next <= targetMs; next = await nextAhead()) {
      const { done } = this;
      await this.pass(next, options);
      await this.runDueNow(options);
      options.requireBound?.();
      idleSteps = this.done > done ? 0 : idleSteps + 1;
      if (idleSteps % MAX_IDLE_STEPS === MAX_IDLE_STEPS - 1) await this.requireRunners(without);
    }
    await this.pass(targetMs, options);
    await this.runDueNow(options);
  }

  /** Up to an instant before which nothing is to happen. */
  private async pass(instantMs: EpochMs, options: AdvanceOptions): Promise<void> {
    const { time, scheduler } = this.parts;
    const isLong = instantMs - time.nowMs > LONGEST_RUN_MS;
    if (isLong && scheduler.inFlight === 0) await this.passWithoutNode(instantMs - LAST_PART_MS);
    await time.goTo(instantMs, options);
  }

  private async passWithoutNode(instantMs: EpochMs): Promise<void> {
    const { time, scheduler } = this.parts;
    await time.drive(() => scheduler.stop());
    await time.jumpTo(instantMs);
    await time.drive(() => scheduler.start());
  }

  /** Begins all that is due and free to run, and waits for its end. */
  private async runDueNow({ whileRunning }: AdvanceOptions): Promise<void> {
    const { scheduler, time } = this.parts;
    let before: number;
    do {
      before = this.done;
      await time.drive(() => scheduler.catchUp());
      await time.goTo(time.nowMs, { whileRunning });
      // What was done may have made more that is due, and its end is to be written.
    } while (this.done > before);
  }

  private get done(): number {
    return this.parts.runs.count + this.parts.traffic.claimed;
  }

  /** @throws Error where a task is due that nobody runs */
  private async requireRunners(without: ReadonlySet<string>): Promise<void> {
    const { stores, node } = this.parts;
    const request = { namespace: node.options.namespace, tab: "overdue" as const };
    const due = await firstTask(stores.tasks, request, ({ type }) => !without.has(type));
    if (due) throw unrun(due.type);
  }

  private nextAhead(without: ReadonlySet<string>): Promise<EpochMs | null> {
    const { stores, node, time, hasBatches } = this.parts;
    const { tasks, schedules, batches } = stores;
    const request = { namespace: node.options.namespace, nowMs: time.nowMs, without };
    return nextInstant({ tasks, schedules, batches: hasBatches ? batches : null }, request);
  }

  /** The next task that a drain waits for; null: there is none. */
  private nextWaiting(task: AnyTask | undefined): Promise<Task | null> {
    const { stores, node } = this.parts;
    const type = task === undefined ? task : typeOf(task);
    const request = { namespace: node.options.namespace, type, tab: "scheduled" as const };
    return firstTask(stores.tasks, request, ({ key }) => key === null || !key.startsWith(SCHEDULE_KEY));
  }
}

function typeOf(task: AnyTask): string {
  return typeof task === "string" ? task : task.type;
}

function tooManyRuns(runs: readonly HandlerRun[], { maxRuns, now }: { maxRuns: number; now: Date }): Error {
  const counts = new Map<string, number>();
  for (const { task } of runs) counts.set(task.type, (counts.get(task.type) ?? 0) + 1);
  const [type, count] = [...counts].reduce((one, other) => (other[1] > one[1] ? other : one));
  return new Error(
    `More than ${maxRuns} handlers have run in one move, ${count} of them of the type "${type}", and the time is ${now.toISOString()}. Leave the type out by { without: ["${type}"] }, all schedules of the code by the module's option { schedules: false }, or raise the bound by { maxRuns }.`,
  );
}

function unrun(type: string): Error {
  return new Error(
    `A task of the type "${type}" is due, and nothing runs it: no handler of this application takes the type, or it is paused. Give it a handler, cancel the task, or delete its schedule.`,
  );
}

/** @returns whole milliseconds */
function requireDelay(call: string, duration: DurationInput): number {
  const delayMs = parseDurationMs(duration);
  if (delayMs === null || delayMs > MAX_DELAY_MS)
    throw new RangeError(`${call} takes milliseconds, or a text such as "15m", not ${String(duration)}`);
  return Math.round(delayMs);
}
