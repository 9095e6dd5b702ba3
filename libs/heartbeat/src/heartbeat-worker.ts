import { write } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { type HeartbeatSnapshot, inWords, LoopHeartbeat, LoopWatch, RunningHandlers } from "@tickwheel/coordination";
import {
  type BlockedLoop,
  type Clock,
  type Coordination,
  SystemClock,
  type Telemetry,
  type TelemetryEvent,
} from "@tickwheel/core";
import { PostgresClusterStore, PostgresDatabase } from "@tickwheel/postgres-store/cluster";
import { AskedPassword } from "./thread/asked-password.js";
import {
  type BeatSoon,
  type HeartbeatWorkerData,
  type PasswordReply,
  type RedisSettings,
  SILENT_COORDINATION,
  type WorkerMessage,
} from "./thread/heartbeat-messages.js";
import { monotonicNowMs } from "./thread/system-monotonic.js";

const STDERR = 2;
/** How long a process that is to be killed may take to say why. */
const LAST_WORDS_MS = 1_000;

/**
 * The worker thread of a node: beats over connections of its own, so that a blocked main loop is not taken for a dead
 * node. The main thread posts a snapshot several times a second; when none comes the beats say so, with the types that
 * run. After `loopBlockedFenceMs` they stop, and the others take over. A process that is nothing but a node is killed
 * then, so that it is started again: it cannot do so itself.
 *
 * It loads as little as it can before its first beat, which a node's join waits for: no ORM, and the client of Redis
 * only beside it.
 */
async function main(data: HeartbeatWorkerData): Promise<void> {
  const port = parentPort!;
  const clock = new SystemClock();
  const say = (message: WorkerMessage): void => port.postMessage(message);
  const telemetry: Telemetry = {
    emit: ({ error, ...event }) => say({ kind: "event", event: { ...event, error: textOf(error) } }),
  };
  const { heartbeatIntervalMs } = data;
  // A beat that gets no answer within an interval takes its connection with it: the next one must not wait for a socket
  // that is dead.
  const { connection: given, ...postgres } = data.postgres;
  const passwords = given.password === "asked" ? new AskedPassword(clock, () => say({ kind: "password" })) : null;
  const password = given.password === "asked" ? () => passwords!.current() : given.password.text;
  const connection = { ...given.settings, ...(password === undefined ? {} : { password }) };
  const database = new PostgresDatabase({
    ...postgres,
    size: 1,
    statementTimeoutMs: heartbeatIntervalMs,
    connection,
    applicationName: data.identity.bootId,
  });
  const store = new PostgresClusterStore(database);
  const watch = new LoopWatch(
    {
      clock,
      runningHandlers: new RunningHandlers(data.runningHandlers),
      listener: {
        changed: () => heartbeat.beatSoon(),
        turnsAgain: (blocked) => telemetry.emit(turnedAgain(blocked)),
        fenced: (blocked) => giveUp(blocked, data.exitWhenBlocked ? clock : null),
      },
    },
    { loopBlockedFenceMs: data.loopBlockedFenceMs, first: data.snapshot },
  );
  port.on("message", (news: HeartbeatSnapshot | PasswordReply | BeatSoon) => {
    if ("text" in news) return passwords?.answered(news.text);
    watch.heard("kind" in news ? news.snapshot : news);
    if ("kind" in news) heartbeat.beatSoon();
  });
  // The listening port keeps the thread alive; the main thread ends it by terminating the worker.
  const heartbeat = new LoopHeartbeat(
    { clock, store, telemetry, coordination: data.redis ? redisOf(data.redis, clock) : SILENT_COORDINATION },
    { heartbeatIntervalMs, mainLoopAlive: () => watch.mayBeat },
  );
  watch.start();
  await heartbeat.start(data.identity, () => watch.snapshot(), {
    beatGood: ({ sentMonoMs, settings }) =>
      say({ kind: "good", sentMonoMs: monotonicNowMs() - (clock.monotonicMs() - sentMonoMs), settings }),
    lost: () => say({ kind: "lost" }),
  });
}

/**
 * Keys in Redis. Its client is loaded when the first beat has been good: neither that nor a Redis that hangs may hold
 * up a beat.
 */
function redisOf(settings: RedisSettings, clock: Clock): Pick<Coordination, "announce"> {
  const open = async (): Promise<Coordination> => {
    const { RedisCoordination } = await import("@tickwheel/redis-coordination");
    const redis = new RedisCoordination({ clock, ...settings });
    await redis.start();
    return redis;
  };
  let redis: Promise<Coordination> | null = null;
  return { announce: async (announcement) => (await (redis ??= open())).announce(announcement) };
}

/** Heard by the main thread as soon as it hears anything again. */
function turnedAgain({ forMs, running }: BlockedLoop): TelemetryEvent {
  const types = running.map(({ type }) => type);
  const message = `The event loop was blocked for ${forMs} ms; running: ${inWords(running)}`;
  return { name: "cluster.loop.blocked", level: "warn", message, facts: { blockedMs: forMs, types } };
}

/**
 * Nothing goes through the main thread any more, neither a message nor a signal's handler. With a clock the process is
 * killed, also where stderr takes nothing: its reader has died, its disk is full, or its pipe is.
 */
function giveUp({ forMs, running }: BlockedLoop, clock: Clock | null): void {
  const end = clock ? "the process is killed" : "no further beat is sent";
  const text = `tickwheel: the event loop has been blocked for ${forMs} ms; running: ${inWords(running)}; ${end}\n`;
  const kill = clock ? (): boolean => process.kill(process.pid, "SIGKILL") : (): void => {};
  clock?.setTimer(LAST_WORDS_MS, kill);
  write(STDERR, text, kill);
}

/** An error cannot be sent to another thread whole. */
function textOf(error: unknown): string | undefined {
  return error instanceof Error ? error.message : undefined;
}

void main(workerData as HeartbeatWorkerData);
