import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { freePort, type RedisService, ServiceStack, startRedis } from "@tickwheel/local-services";
import { ApiClient } from "./api-client.js";
import { eventually } from "./eventually.js";
import { NodeProcess, type ProcessEnd, repositoryRoot } from "./node-process.js";
import { TaskLoad, type TaskLoadOptions } from "./task-load.js";
import { OwnPostgres } from "./servers/own-postgres.js";

export const schedulerScript = join(repositoryRoot, "apps/scheduler/dist/main.js");
const appScript = join(import.meta.dirname, "app/main.mjs");

/** Real servers of one spec file. */
export interface TestServices {
  /** For nodes and specs. */
  databaseUrl: string;
  /** The address of the same database: for what a spec itself needs a superuser for. */
  superuserUrl: string;
  redisUrl: string | undefined;
  postgres: OwnPostgres;
  redis: RedisService | undefined;
  stop(): Promise<void>;
}

export interface TestServicesOptions {
  /** Default false. */
  redis?: boolean;
  /** Settings of `postgresql.conf`. */
  postgres?: Readonly<Record<string, string | number>>;
}

/** A node of the cluster: a process that answered `GET /health/ready`. */
export interface TestNode {
  url: string;
  /** With the administrator's key. */
  client: ApiClient;
  pid: number;
  log(): string;
  /** SIGTERM. */
  stop(): Promise<ProcessEnd>;
  /** SIGKILL. */
  kill(): Promise<ProcessEnd>;
  exited: Promise<ProcessEnd>;
  /** Whether it has ended without being asked to. */
  readonly endedByItself: boolean;
}

export interface SchedulerNodeOptions {
  databaseUrl?: string;
  redisUrl?: string;
  apiKey: string;
  port?: number;
  env?: Readonly<Record<string, string>>;
  cwd?: string;
  /** File descriptors in the place of its log. */
  outputs?: { stdout?: number; stderr?: number };
}

export interface TestAppOptions {
  databaseUrl: string;
  redisUrl?: string;
  apiKey: string;
  /** Task types that this application handles. */
  types: readonly string[];
  /** The schedules that its code defines. Default: none. */
  schedules?: readonly (string | CodeSchedule)[];
  /** Options of `DelayTaskModule` beside those above. */
  module?: Readonly<Record<string, unknown>>;
  /** Options of `DelayTaskApiModule`. */
  api?: Readonly<Record<string, unknown>>;
  /** The application's main file. Default: that of this release. */
  script?: string;
  /** The most that V8 may keep of live objects; default: Node's own. */
  heapMib?: number;
  /** Further variables of the process. Default: none. */
  env?: Readonly<Record<string, string>>;
}

/** A schedule in the application's code whose runs are recorded; given by its name alone, it does nothing. */
export interface CodeSchedule {
  name: string;
  payload: unknown;
  /** An interval such as `5s`, counted from the anchor. */
  every?: string;
  anchor?: string;
  cron?: string;
  timeZone?: string;
}

/** An API key of the length that the scheduler requires. */
export function newTestKey(): string {
  return `test_${randomBytes(24).toString("base64url")}`;
}

/** Starts Postgres 18 with an empty database, and Redis if asked for. Nothing is left of them after `stop`. */
export async function startTestServices({
  redis: withRedis = false,
  postgres: settings,
}: TestServicesOptions = {}): Promise<TestServices> {
  const stack = new ServiceStack();
  try {
    const postgres = await stack.add(await OwnPostgres.start({ settings }));
    const redis = withRedis ? await stack.add(await startRedis()) : undefined;
    const { url: databaseUrl, superuserUrl } = postgres;
    return { databaseUrl, superuserUrl, redisUrl: redis?.url, postgres, redis, stop: () => stack.stop() };
  } catch (error) {
    await stack.stop();
    throw error;
  }
}

/** Starts the stand-alone scheduler and waits until it is ready. */
export async function startSchedulerNode(options: SchedulerNodeOptions): Promise<TestNode> {
  const port = options.port ?? (await freePort());
  const node = spawnScheduler({ ...options, port });
  return whenReady(node, { port, apiKey: options.apiKey });
}

/** The stand-alone scheduler as a process, ready or not: for starts that are meant to fail. */
export function spawnScheduler(options: Partial<SchedulerNodeOptions>): NodeProcess {
  const { databaseUrl, redisUrl, apiKey, port, env, cwd, outputs } = options;
  return new NodeProcess({
    script: schedulerScript,
    cwd,
    ...outputs,
    env: {
      TICKWHEEL_LOG_FORMAT: "text",
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
      ...(redisUrl && { REDIS_URL: redisUrl }),
      ...(apiKey && { TICKWHEEL_API_KEY: apiKey }),
      ...(port !== undefined && { PORT: String(port) }),
      ...env,
    },
  });
}

/**
 * Starts the small application of `app/`: a Nest application with the given handlers, which records every execution
 * (see `Ledger`) and mounts the API.
 */
export async function startTestApp({
  script = appScript,
  heapMib,
  env: more,
  ...options
}: TestAppOptions): Promise<TestNode> {
  const port = await freePort();
  const env: Record<string, string> = { TEST_APP: JSON.stringify({ ...options, port }), ...more };
  if (heapMib !== undefined) env["NODE_OPTIONS"] = `--max-old-space-size=${heapMib}`;
  const node = new NodeProcess({ script, env });
  return whenReady(node, { port, apiKey: options.apiKey });
}

async function whenReady(node: NodeProcess, { port, apiKey }: { port: number; apiKey: string }): Promise<TestNode> {
  const url = `http://127.0.0.1:${port}`;
  const client = new ApiClient(url, apiKey);
  try {
    await eventually(async () => {
      if (node.end) return;
      const { status } = await client.get("/health/ready");
      if (status !== 200) throw new Error(`GET /health/ready answered ${status}`);
    });
    if (node.end) throw new Error(`the process ended with ${JSON.stringify(node.end)}`);
  } catch (error) {
    await node.kill();
    throw new Error(`a node did not start: ${String(error)}\n${node.log()}`, { cause: error });
  }
  return {
    url,
    client,
    pid: node.pid,
    exited: node.exited,
    log: () => node.log(),
    stop: () => node.stop(),
    kill: () => node.kill(),
    get endedByItself() {
      return node.endedByItself;
    },
  };
}

/**
 * Everything that one spec file starts. `stop` kills the processes at once and then ends the servers, whatever has
 * failed before. If a node has ended by itself meanwhile, `stop` throws an error with its log.
 *
 * @example const stage = new TestStage(); afterAll(() => stage.stop());
 */
export class TestStage {
  /** The administrator's key of every node here. */
  readonly apiKey = newTestKey();
  readonly #nodes: TestNode[] = [];
  readonly #loads: TaskLoad[] = [];
  readonly #services = new ServiceStack();

  async services(options: TestServicesOptions = {}): Promise<TestServices> {
    return this.#services.add(await startTestServices(options));
  }

  /** Anything else that is stopped after the processes. */
  async add<T extends { stop(): unknown }>(service: T): Promise<T> {
    return this.#services.add(service);
  }

  async scheduler(options: Omit<SchedulerNodeOptions, "apiKey">): Promise<TestNode> {
    return this.keep(await startSchedulerNode({ ...options, apiKey: this.apiKey }));
  }

  async app(options: Omit<TestAppOptions, "apiKey">): Promise<TestNode> {
    return this.keep(await startTestApp({ ...options, apiKey: this.apiKey }));
  }

  /** A stream of creates that ends with the test, even if the test fails: see `endLoads`. */
  load(targets: readonly TestNode[], options: TaskLoadOptions): TaskLoad {
    const clients = targets.map(({ client }) => client);
    const load = new TaskLoad(clients, options).start();
    this.#loads.push(load);
    return load;
  }

  /** For `afterEach`. */
  endLoads(): void {
    for (const load of this.#loads.splice(0)) load.abandon();
  }

  /** Starts `count` at the same instant. */
  async many(count: number, start: () => Promise<TestNode>): Promise<TestNode[]> {
    const started = await Promise.allSettled(Array.from({ length: count }, start));
    const failed = started.find((result) => result.status === "rejected");
    if (failed) throw failed.reason;
    return started.map((result) => (result as PromiseFulfilledResult<TestNode>).value);
  }

  async stop(): Promise<void> {
    this.endLoads();
    const crashed = this.#nodes.filter((node) => node.endedByItself);
    await Promise.all(this.#nodes.map((node) => node.kill()));
    await this.#services.stop();
    const [first] = crashed;
    if (first)
      throw new Error(`${crashed.length} nodes ended by themselves, one of them:\n${first.log().slice(-8_000)}`);
  }

  private keep(node: TestNode): TestNode {
    this.#nodes.push(node);
    return node;
  }
}
