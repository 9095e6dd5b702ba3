import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { debianTool } from "../programs/debian-tool.js";
import { poll } from "../processes/poll-until.js";
import { withLock } from "../folders/file-lock.js";
import { findOnPath } from "../programs/find-on-path.js";
import { freePort } from "../processes/free-port.js";
import { LocalServiceError, RedisUnavailableError } from "../processes/local-service-error.js";
import { logSizeBytes, tailOf } from "../processes/log-file.js";
import { ServerProcess } from "../processes/server-process.js";
import { makeEphemeralFolder, recordOwnership, removeFolder } from "../folders/service-folder.js";

export interface StartRedisOptions {
  /** A TCP port of 127.0.0.1. Default: a free one. */
  port?: number;
  /** Settings of `redis.conf` by name. Default: nothing is written to disk. */
  settings?: Readonly<Record<string, string | number>>;
  /** Lines of `sentinel.conf`: the server is a Sentinel, without `settings`. Default: it is a Redis. */
  sentinel?: readonly string[];
}

interface RedisProgram {
  readonly file: string;
  readonly env: Record<string, string>;
}

const READY_LIMIT_MS = 15_000;
const ANSWER_LIMIT_MS = 1_000;
const PORT_ATTEMPTS = 5;
const PORT_TAKEN = /Address already in use|Could not create server TCP/;
const TERMINATE = { signal: "SIGTERM", limitMs: 5_000 } as const;
const KILL = { signal: "SIGKILL", limitMs: 5_000 } as const;

/**
 * A Redis (or Valkey) server that this process owns. It keeps everything in memory: after `kill` or `restart` it is
 * empty.
 *
 * When this process ends without `stop`, the server is told to stop; when this process is killed, the next run stops
 * it.
 */
export class RedisService {
  readonly url: string;
  #server: ServerProcess;
  #stopped: Promise<void> | undefined;

  private constructor(
    private readonly launch: RedisLaunch,
    readonly port: number,
    server: ServerProcess,
  ) {
    this.url = `redis://127.0.0.1:${port}`;
    this.#server = server;
  }

  /** @internal use {@link startRedis} */
  static async start(launch: RedisLaunch, port?: number): Promise<RedisService> {
    const started = await launchRedis(launch, port);
    return new RedisService(launch, started.port, started.server);
  }

  get pid(): number {
    return this.#server.identity.pid;
  }

  /** Stops the server and deletes its folder. Further calls wait for the first. */
  stop(): Promise<void> {
    this.#stopped ??= this.exclusively(async () => {
      this.#server.signal("SIGCONT");
      await this.#server.stop([TERMINATE, KILL]);
      removeFolder(this.launch.folder);
    });
    return this.#stopped;
  }

  /** Kills the server by SIGKILL, as a crash would. `restart` brings it back. */
  async kill(): Promise<void> {
    this.assertNotStopped();
    await this.exclusively(() => this.#server.stop([KILL]));
  }

  /** Freezes the server: connections stay open and get no answer until `resume`. */
  pause(): void {
    this.#server.signal("SIGSTOP");
  }

  resume(): void {
    this.#server.signal("SIGCONT");
  }

  /** Stops the server, unless it was killed before, and starts it on the same port. */
  async restart(): Promise<void> {
    this.assertNotStopped();
    await this.exclusively(async () => {
      this.#server.signal("SIGCONT");
      await this.#server.stop([TERMINATE, KILL]);
      this.#server = (await launchRedis(this.launch, this.port)).server;
    });
  }

  /** The last lines of the server's log. */
  logTail(lines = 50): string {
    return tailOf(join(this.launch.folder, "log"), { lines });
  }

  private exclusively(work: () => Promise<void>): Promise<void> {
    return withLock(join(this.launch.folder, "lock"), work);
  }

  private assertNotStopped(): void {
    if (this.#stopped) throw new LocalServiceError("SERVICE_STOPPED", "This Redis was stopped: start a new one");
  }
}

interface RedisLaunch {
  readonly program: RedisProgram;
  readonly folder: string;
  readonly settings: Readonly<Record<string, string | number>>;
  /** A Sentinel's file of configuration, which it writes anew itself. */
  readonly sentinelFile: string | undefined;
}

/**
 * Starts a Redis server on 127.0.0.1 that is deleted when it stops.
 * @throws RedisUnavailableError when the machine has none and Debian's package cannot be unpacked
 * @throws LocalServiceError `PORT_IN_USE`, `REDIS_START_FAILED` with the log in `details`
 */
export async function startRedis({ port, settings = {}, sentinel }: StartRedisOptions = {}): Promise<RedisService> {
  const program = await findRedis();
  const folder = await makeEphemeralFolder("redis");
  try {
    const sentinelFile = sentinel && join(folder, "sentinel.conf");
    if (sentinelFile) writeFileSync(sentinelFile, sentinel.join("\n"));
    return await RedisService.start({ program, folder, settings, sentinelFile }, port);
  } catch (error) {
    removeFolder(folder);
    throw error;
  }
}

async function findRedis(): Promise<RedisProgram> {
  const installed = findOnPath("redis-server") ?? findOnPath("valkey-server");
  if (installed) return { file: installed, env: {} };
  try {
    const { bin, env } = await debianTool("redis-server");
    return { file: bin("redis-server"), env };
  } catch (cause) {
    throw new RedisUnavailableError(cause);
  }
}

async function launchRedis(launch: RedisLaunch, port?: number): Promise<{ server: ServerProcess; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const tried = port ?? (await freePort());
    const outcome = await launchOnce(launch, tried);
    if (outcome instanceof ServerProcess) return { server: outcome, port: tried };
    const isPortTaken = PORT_TAKEN.test(outcome);
    if (isPortTaken && port === undefined && attempt < PORT_ATTEMPTS) continue;
    throw isPortTaken
      ? new LocalServiceError("PORT_IN_USE", `Port ${tried} of 127.0.0.1 is in use: choose another for Redis`)
      : new LocalServiceError("REDIS_START_FAILED", `Redis did not start:\n${outcome}`, { details: outcome });
  }
}

/** @returns the server, or its log when it ended before it was ready */
async function launchOnce(launch: RedisLaunch, port: number): Promise<ServerProcess | string> {
  const { program, folder } = launch;
  const logFile = join(folder, "log");
  const fromByte = logSizeBytes(logFile);
  const server = await ServerProcess.spawn({
    file: program.file,
    args: argumentsOf(launch, port),
    cwd: folder,
    env: program.env,
    logFile,
    exitSignal: "SIGTERM",
  });
  recordOwnership(folder, "redis", server.identity);
  const state = await poll(() => stateOf(server, port), { limitMs: READY_LIMIT_MS });
  if (state === "ready") return server;
  await server.stop([KILL]);
  return tailOf(logFile, { fromByte });
}

function argumentsOf({ folder, settings, sentinelFile }: RedisLaunch, port: number): string[] {
  const fixed = { port, bind: "127.0.0.1", dir: folder, daemonize: "no" };
  const all = sentinelFile ? fixed : { save: "", appendonly: "no", ...settings, ...fixed };
  const named = Object.entries(all).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return sentinelFile ? [sentinelFile, "--sentinel", ...named] : named;
}

async function stateOf(server: ServerProcess, port: number): Promise<"ready" | "ended" | undefined> {
  const answering = await pidOfRedisAt(port);
  if (!server.isRunning()) return "ended";
  return answering === server.identity.pid ? "ready" : undefined;
}

/** The pid that the Redis on this port reports: while ours fails to start, another one may be answering there. */
function pidOfRedisAt(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect(port, "127.0.0.1", () => socket.write("INFO server\r\n"));
    socket.setTimeout(ANSWER_LIMIT_MS, () => socket.destroy());
    socket.on("data", (part) => {
      answer += part.toString("latin1");
      const [, pid] = /\nprocess_id:(\d+)\r\n/.exec(answer) ?? [];
      if (pid) resolve(Number(pid));
      if (pid || answer.startsWith("-")) socket.destroy();
    });
    socket.on("error", () => resolve(undefined));
    socket.once("close", () => resolve(undefined));
  });
}
