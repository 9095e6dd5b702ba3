import { Logger } from "@nestjs/common";
import { type EpochMs, type Fault, SystemClock, TickwheelError } from "@tickwheel/core";
import type { SchedulerNode } from "@tickwheel/engine";
import { type DelayTaskModuleOptions, openTracing } from "@tickwheel/nestjs";
import {
  assembleNode,
  type ModuleNode,
  NodeTelemetry,
  type NodeGround,
  resolveDelayTaskOptions,
  type ResolvedDelayTaskOptions,
} from "@tickwheel/nestjs/internals";
import { ManualClock } from "../system/manual-clock.js";
import { DelayTaskTesting } from "./delay-task-testing.js";
import type { OpenTransaction } from "./joint-transactions.js";
import { type GroundParts, memoryGround } from "./memory-ground.js";
import { postgresGround } from "./postgres-ground.js";
import { StoreTraffic } from "./store-traffic.js";
import { TestRuns } from "./test-runs.js";
import { TestTime } from "./test-time.js";
import type { DelayTaskTestingOptions } from "./testing-options.js";

/** Nobody connects to it. */
const NOWHERE = "postgres://memory.invalid/memory";
/**
 * A node begins so long before the test, in milliseconds: schedules in code are in force when it has been live for 30
 * s.
 */
const BEFORE_START_MS = 40_000;
const MOST_RUNS_AT_ONCE = 1_000_000;
const SILENT = { error: () => undefined, warn: () => undefined, log: () => undefined, debug: () => undefined };

/**
 * Opens a node of a test; nothing runs yet.
 *
 * @param given what the application gave its module; its database is not opened
 * @param options what the test says
 * @throws TickwheelError `CONFIGURATION_INVALID` with every fault
 */
export async function openTestingNode(
  given: DelayTaskModuleOptions,
  options: DelayTaskTestingOptions,
): Promise<ModuleNode> {
  const { manager, now, seed, logs = false, maxRunsAtOnce, schedules: codeSchedules = true, ...others } = options;
  const { onPostgres = false, ...ofModule } = others;
  requireOwnOptions({ now, seed, manager, maxRunsAtOnce });
  const clock = new ManualClock();
  const startMs = now?.getTime() ?? today();
  const epochMs = startMs - BEFORE_START_MS;
  const traffic = new StoreTraffic();
  const runs = new TestRuns(() => time.nowMs, maxRunsAtOnce);
  const running = (): number => runningOn(scheduler);
  const fault = (): Error | null => (runs.isFaulty ? runs.takeFault() : null);
  const time: TestTime = new TestTime({ clock, epochMs, traffic, running, fault, underWay: () => runs.underWay });
  const telemetry = new NodeTelemetry(logs ? new Logger("Tickwheel") : SILENT, clock);
  let hasStarted = false;
  const drive = async (work: () => Promise<void>): Promise<void> => {
    if (hasStarted) return time.drive(work);
    hasStarted = true;
    if (schedules.length === 0) await time.jumpTo(startMs);
    await time.drive(work);
    await time.goTo(startMs);
  };
  const parts: GroundParts = { clock, epochMs, seed: seed ?? 1, telemetry, traffic, drive };
  const around = [runs.around, ...(given.around ?? []), ...(ofModule.around ?? [])];
  const resolved = resolveDelayTaskOptions({
    ...moduleOptions(given, ofModule, onPostgres),
    around,
    ...ofTests(ofModule),
  });
  const isPostgres = onPostgres || isOnPostgres(ofModule);
  const opened = isPostgres
    ? await postgresGround(resolved, parts, ofModule.schema)
    : inMemory(resolved, memoryGround(parts, { open: ownTransactions(given, options), manager }));
  const tracing = await openTracing(opened.options.tracing);
  const { node, scheduler, schedules } = assembleNode(opened.options, { ...opened.ground, tracing, codeSchedules });
  const { stores } = opened.ground;
  const log = (message: string): void => new Logger("Tickwheel").error(message);
  new DelayTaskTesting({ node, scheduler, stores, time, traffic, runs, log, hasBatches: isPostgres });
  return node;
}

/** The real time: the only reading of it, since a test's clock begins somewhere. */
function today(): EpochMs {
  // oxlint-disable-next-line no-restricted-globals -- the Clock port has no wall clock
  return Math.floor(performance.timeOrigin) + Math.floor(new SystemClock().monotonicMs());
}

/** Handlers that have begun: those whose end is being written have returned. */
function runningOn(scheduler: SchedulerNode): number {
  if (scheduler.inFlight === 0) return 0;
  return scheduler.holdings().executions.filter(({ state }) => state === "running").length;
}

function isOnPostgres({ url, dataSource }: DelayTaskTestingOptions): boolean {
  return url !== undefined || dataSource?.options.type === "postgres";
}

/**
 * The application's options, but for where its database is: that says the test.
 *
 * @param onOwn it says: where the application itself has it
 */
function moduleOptions(
  given: DelayTaskModuleOptions,
  ofTest: DelayTaskModuleOptions,
  onOwn: boolean,
): DelayTaskModuleOptions {
  const { url, dataSource: own, redis: _redis, schema: _schema, listenUrl: _listenUrl, ...kept } = given;
  const { dataSource, ...rest } = ofTest;
  const options = { ...kept, ...rest };
  if (isOnPostgres(ofTest)) return dataSource ? { ...withoutTransactions(options), dataSource } : options;
  if (!onOwn) return { ...withoutTransactions(options), url: NOWHERE };
  return { ...options, ...(url !== undefined && { url }), ...(own && { dataSource: own }) };
}

function withoutTransactions({ transactions: _transactions, ...rest }: DelayTaskModuleOptions): DelayTaskModuleOptions {
  return rest;
}

function inMemory(
  options: ResolvedDelayTaskOptions,
  { ground, transactions }: ReturnType<typeof memoryGround>,
): { options: ResolvedDelayTaskOptions; ground: NodeGround } {
  return { options: { ...options, transactions }, ground };
}

/** What a test's node is always. A claim ahead of its time would be seen in the state of a task that is not due yet. */
function ofTests({ engine = true }: DelayTaskModuleOptions): DelayTaskModuleOptions {
  return { redis: null, heartbeat: "loop", claimAheadMs: 0, wheelCapacity: 10_000, engine, autoStart: true };
}

/** How the application opens a transaction: as the test says, else as its own options say. Null: it has no database. */
function ownTransactions(given: DelayTaskModuleOptions, ofTest: DelayTaskTestingOptions): OpenTransaction | null {
  for (const { transactions, dataSource } of [ofTest, given]) {
    if (transactions) return (work) => transactions.run(work);
    if (dataSource) return (work) => dataSource.transaction(work);
  }
  return null;
}

type OwnOptions = Pick<DelayTaskTestingOptions, "now" | "seed" | "manager" | "maxRunsAtOnce">;

function requireOwnOptions({ now, seed, manager, maxRunsAtOnce }: OwnOptions): void {
  const faults: Fault[] = [];
  if (now !== undefined && !(now instanceof Date && Number.isFinite(now.getTime())))
    faults.push({ path: "now", message: "must be a Date" });
  if (seed !== undefined && !Number.isInteger(seed)) faults.push({ path: "seed", message: "must be an integer" });
  const isCount = maxRunsAtOnce === undefined || (Number.isInteger(maxRunsAtOnce) && maxRunsAtOnce >= 1);
  if (!isCount || (maxRunsAtOnce ?? 1) > MOST_RUNS_AT_ONCE)
    faults.push({ path: "maxRunsAtOnce", message: `must be an integer from 1 to ${MOST_RUNS_AT_ONCE}` });
  if (manager !== undefined && (typeof manager !== "object" || manager === null))
    faults.push({ path: "manager", message: "must be an object" });
  if (faults.length === 0) return;
  const list = faults.map(({ path, message }) => `${path} ${message}`).join("; ");
  throw new TickwheelError("CONFIGURATION_INVALID", `DelayTaskTestingModule cannot start: ${list}`, { faults });
}
