import type { Fault, SimulatedRedis } from "@tickwheel/simulation";
import { forge } from "./forgeries.js";
import type { Breakage, PlannedFault } from "./plan.js";
import type { SimulatedProcess } from "./simulated-process.js";
import type { NodeFault, World } from "./world.js";

const MAX_NODES = 7;

/** Starts a planned fault; what it breaks is repaired when its time is over. */
export function plant(world: World, { atMs, forMs, breaks }: PlannedFault): void {
  world.time.setTimer(atMs, () => {
    const mend = begin(world, breaks, forMs);
    if (mend === null) return;
    world.recorder.count(`fault ${breaks.kind}`);
    world.time.setTimer(forMs, mend);
  });
}

type Mend = () => void;
const NOTHING: Mend = () => undefined;

/** Null: the target of the fault does not exist. */
function begin(world: World, breaks: Breakage, forMs: number): Mend | null {
  if ("node" in breaks) {
    const process = world.processes[breaks.node];
    return !process || process.isOver || process.isStopping ? null : beginOnNode({ world, process, forMs }, breaks);
  }
  switch (breaks.kind) {
    case "postgres-restart":
      world.stopDatabase();
      return during(world, { name: "postgres-away" }, () => world.startDatabase());
    case "postgres-failover":
      return failOver(world, breaks.forgetMs);
    case "postgres-slow":
      world.maxPauseMs = breaks.maxPauseMs;
      return lingering(world, breaks.maxPauseMs, {
        over: () => (world.maxPauseMs = 2),
        isOver: during(world, { name: "postgres-away" }, NOTHING),
      });
    case "postgres-clock-step":
      world.database.stepClock(breaks.byMs);
      world.recorder.faultBegan({ name: "clock-step", stepMs: breaks.byMs });
      return NOTHING;
    case "messages-lost":
      world.spoilRedis({ messageLossRate: breaks.share, breakRate: breaks.share / 10 });
      return during(world, { name: "hints-lost" }, () => world.spoilRedis({}));
    case "messages-late":
      world.spoilRedis({ maxDelayMs: breaks.maxDelayMs, reordersMessages: true });
      return during(world, { name: "hints-lost" }, () => world.spoilRedis({}));
    case "messages-forged":
      return during(world, { name: "hints-lost" }, forge(world, breaks.perSecond));
    case "node-joins":
      if (world.processes.length >= MAX_NODES) return null;
      world.start(world.processes.length);
      return NOTHING;
    default:
      return beginOnRedis(world, breaks);
  }
}

function during(world: World, fault: Fault, mend: Mend): Mend {
  world.recorder.faultBegan(fault);
  return () => {
    mend();
    world.recorder.faultEnded(fault);
  };
}

/** The last slow messages are still under way for some time. */
function lingering(world: World, forMs: number, { over, isOver }: { over: () => unknown; isOver: Mend }): Mend {
  return () => {
    over();
    world.time.setTimer(forMs, isOver);
  };
}

type OnRedis = Exclude<Extract<Breakage, { kind: `redis-${string}` }>, { node: number }>;

function beginOnRedis(world: World, breaks: OnRedis): Mend | null {
  if (world.plan.coordination !== "redis") return null;
  return during(world, { name: "redis-away" }, breakRedis(world.redis, breaks));
}

function breakRedis(redis: SimulatedRedis, breaks: OnRedis): Mend {
  switch (breaks.kind) {
    case "redis-stop":
      redis.stop();
      return () => redis.start({ forgetMs: breaks.flushes ? Infinity : 0 });
    case "redis-hang":
      redis.hang();
      return () => redis.start();
    case "redis-failover":
      redis.failOver(breaks.forgetMs);
      return NOTHING;
    case "redis-flush":
      redis.flush();
      return NOTHING;
    case "redis-clock-step":
      redis.clock.step(breaks.byMs);
      return NOTHING;
  }
}
interface Struck {
  world: World;
  process: SimulatedProcess;
  forMs: number;
}

function beginOnNode({ world, process, forMs }: Struck, breaks: Extract<Breakage, { node: number }>): Mend | null {
  const { clock } = process;
  switch (breaks.kind) {
    case "crash":
      world.crash(process, forMs);
      return NOTHING;
    case "drain":
      drain(world, process, forMs);
      return NOTHING;
    case "pause":
      clock.pause();
      return struck({ world, process }, { name: "pause" }, () => clock.resume());
    case "block-loop":
      world.block(process, forMs);
      return NOTHING;
    case "slow-loop":
      clock.slow(breaks.maxLateMs);
      return struck({ world, process }, { name: "loop-blocked" }, () => clock.slow(0));
    case "jump-ahead":
      clock.stepAhead(breaks.byMs);
      return struck({ world, process }, { name: "pause" }, NOTHING);
    case "session-lost":
      endSession({ world, process });
      return NOTHING;
    case "postgres-cut":
      process.postgresLink.cut(breaks.way);
      if (breaks.isSeen) endSession({ world, process });
      return struck({ world, process }, { name: "postgres-cut", way: breaks.way }, () => process.postgresLink.heal());
    case "postgres-late":
      process.postgresLink.faults = { maxDelayMs: breaks.maxDelayMs };
      return lingering(world, breaks.maxDelayMs, {
        over: () => (process.postgresLink.faults = {}),
        isOver: struck({ world, process }, { name: "postgres-cut" }, NOTHING),
      });
    case "redis-cut":
      process.redisLink.cut(breaks.way);
      return struck({ world, process }, { name: "redis-cut", way: breaks.way }, () => process.redisLink.heal());
  }
}

function endSession({ world, process }: Pick<Struck, "world" | "process">): void {
  if (process.bootId !== null) world.database.endNodeSession(process.bootId);
}

function struck({ world, process }: Pick<Struck, "world" | "process">, fault: NodeFault, mend: () => unknown): Mend {
  world.strike(process, fault);
  return () => {
    mend();
    world.relieve(process, fault);
  };
}

/** A step of a rolling restart: the process ends by itself, and the next one starts some time later. */
function drain(world: World, process: SimulatedProcess, restartMs: number): void {
  world.spawn(process, "stopping", async () => {
    // If it was asked twice while it was paused, it stops and is started again only once.
    if (process.isStopping) return;
    await process.stop();
    world.gone(process);
    world.restart(process, restartMs);
  });
}

/** A standby takes over at once; it lacks the last commits. */
function failOver(world: World, forgetMs: number): Mend {
  const { database, time, recorder } = world;
  const fromMs = time.monotonicMs() - forgetMs;
  const kept = recorder.lastCommitBefore(fromMs);
  database.promote(kept);
  world.notify.breakSessions();
  recorder.faultBegan({ name: "failover", keptCommit: kept });
  return NOTHING;
}
