import { type DynamicModule, Injectable, Module, RequestMethod } from "@nestjs/common";
import { METHOD_METADATA, PATH_METADATA } from "@nestjs/common/constants.js";
import { DiscoveryModule, DiscoveryService, HttpAdapterHost, MetadataScanner, NestFactory } from "@nestjs/core";
import { ExpressAdapter, type NestExpressApplication } from "@nestjs/platform-express";
import { FastifyAdapter, type NestFastifyApplication } from "@nestjs/platform-fastify";
import { Test } from "@nestjs/testing";
import { type ApiKey, type SchedulerOptions, SystemClock } from "@tickwheel/core";
import { ApiKeyRing, DelayTaskApiModule, ProblemFilter, hashApiKey } from "@tickwheel/api";
import { type DelayTask, type DelayTaskContext, DelayTaskHandler, DelayTaskModule } from "@tickwheel/nestjs";
import { DelayTaskTesting, DelayTaskTestingModule } from "@tickwheel/testing/nest";
import { Client } from "pg";
import { ApiClient } from "./api-client.js";
import { newTestKey } from "./cluster.js";
import { superuserUrlOf } from "./servers/test-role.mjs";

export type Platform = "fastify" | "express";

const BODY_LIMIT_BYTES = 16 * 1024 * 1024;
const SCHEMA = "tickwheel";
/** The schema of an application whose time a test moves. */
const TIMED_SCHEMA = "tickwheel_test";

/** What a test sets of the scheduler. */
type TestOptions = Partial<SchedulerOptions> & { webhookAllowedHosts?: string[] };

/** The payloads that `test.record` was called with, by task. */
export const recordedPayloads = new Map<string, unknown>();

/**
 * Handles `test.echo`, whose result is its payload, `test.record`, `test.fail`, `test.tell`, whose payload is its
 * checkpoint, and `test.hold`, which ends when it is told to stop.
 */
@Injectable()
class TestHandlers {
  @DelayTaskHandler("test.echo")
  echo(task: DelayTask): unknown {
    return task.payload;
  }

  @DelayTaskHandler("test.record")
  record(task: DelayTask): void {
    recordedPayloads.set(task.id, task.payload);
  }

  @DelayTaskHandler("test.fail", { maxAttempts: 1 })
  fail(): never {
    throw new Error("it was meant to");
  }

  @DelayTaskHandler("test.tell")
  async tell(task: DelayTask, ctx: DelayTaskContext): Promise<void> {
    await ctx.checkpoint(task.payload);
    ctx.progress(0.5, "half of it");
  }

  @DelayTaskHandler("test.hold")
  async hold(_task: DelayTask, { signal }: DelayTaskContext): Promise<void> {
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    signal.throwIfAborted();
  }
}

@Module({})
class ApiApplicationModule {
  /** @param tickwheel the scheduler's module */
  static with(tickwheel: DynamicModule): DynamicModule {
    return {
      module: ApiApplicationModule,
      imports: [DelayTaskApiModule.forRoot({ metrics: true }), tickwheel, DiscoveryModule],
      providers: [TestHandlers],
    };
  }
}

/** A Nest application in this process with our API and engine, as an application of our own binds it. */
export class ApiApplication {
  /** With an administrator's key. */
  readonly admin: ApiClient;
  readonly url: string;

  private constructor(
    private readonly app: NestFastifyApplication | NestExpressApplication,
    private readonly database: { url: string; schema: string },
    /** The administrator's. */
    readonly key: string,
  ) {
    const { port } = app.getHttpServer().address() as { port: number };
    this.url = `http://127.0.0.1:${port}`;
    this.admin = new ApiClient(this.url, key);
  }

  static async start(platform: Platform, databaseUrl: string, scheduler: TestOptions = {}): Promise<ApiApplication> {
    const module = ApiApplicationModule.with(onDatabase(databaseUrl, scheduler));
    const app = await onPlatform(platform, module);
    return ApiApplication.listening(app, { url: databaseUrl, schema: SCHEMA });
  }

  /** The same with a clock of the test's for its streams and for how long keys and sessions are believed. */
  static async startOn(clock: SystemClock, platform: Platform, databaseUrl: string): Promise<ApiApplication> {
    const module = ApiApplicationModule.with(onDatabase(databaseUrl, {}));
    const builder = Test.createTestingModule({ imports: [module] });
    const testing = await builder.overrideProvider(SystemClock).useValue(clock).compile();
    const app =
      platform === "fastify"
        ? testing.createNestApplication<NestFastifyApplication>(fastifyAdapter(), OPTIONS)
        : withBodyLimit(testing.createNestApplication<NestExpressApplication>(new ExpressAdapter(), OPTIONS));
    return ApiApplication.listening(app, { url: databaseUrl, schema: SCHEMA });
  }

  /**
   * The same application with a time that stands still until the test moves it: see {@link time}. The testing module
   * drops and makes its schema, so it works as the superuser.
   */
  static async startTimed(platform: Platform, databaseUrl: string): Promise<ApiApplication> {
    const database = { url: superuserUrlOf(databaseUrl), schema: TIMED_SCHEMA };
    const app = await onPlatform(platform, ApiApplicationModule.with(DelayTaskTestingModule.forRoot(database)));
    return ApiApplication.listening(app, database);
  }

  private static async listening(
    app: NestFastifyApplication | NestExpressApplication,
    database: { url: string; schema: string },
  ): Promise<ApiApplication> {
    app.useGlobalFilters(new ProblemFilter(app.get(HttpAdapterHost)));
    const key = newTestKey();
    await app.get(ApiKeyRing, { strict: false }).ensureFirstKey(key, "default");
    await app.listen(0, "127.0.0.1");
    return new ApiApplication(app, database, key);
  }

  /** What moves the time. @throws Error when the application was not started by {@link startTimed} */
  get time(): DelayTaskTesting {
    return DelayTaskTesting.of(this.app);
  }

  /** All routes of the application, written as `GET /v1/tasks/:id`. */
  routes(): string[] {
    const discovery = this.app.get(DiscoveryService);
    const scanner = new MetadataScanner();
    return discovery.getControllers().flatMap(({ metatype, instance }) => {
      const [base] = [Reflect.getMetadata(PATH_METADATA, metatype as object) as string | undefined].flat();
      const prototype = Object.getPrototypeOf(instance) as Record<string, object>;
      return scanner.getAllMethodNames(prototype).flatMap((name) => {
        const method = Reflect.getMetadata(METHOD_METADATA, prototype[name]!) as RequestMethod | undefined;
        const paths = [Reflect.getMetadata(PATH_METADATA, prototype[name]!) as string | string[]].flat();
        if (method === undefined) return [];
        return paths.map((path) => `${RequestMethod[method]} ${joined(base ?? "", path)}`);
      });
    });
  }

  /** A client whose key has these rights. */
  async clientAs(
    rights: Partial<Pick<ApiKey, "role" | "namespace" | "cluster" | "rights" | "types" | "expiresAt">>,
  ): Promise<ApiClient> {
    const { role = "viewer", namespace = "default", cluster = false, expiresAt = null } = rights;
    const named = rights.rights ?? [];
    const types = rights.types ?? null;
    const key = newTestKey();
    const database = new Client({ connectionString: this.database.url });
    await database.connect();
    try {
      const columns = "hash, namespace, role, cluster, rights, types, expires_at";
      const sql = `INSERT INTO ${this.database.schema}.api_key (${columns}) VALUES ($1, $2, $3, $4, $5, $6, $7)`;
      const end = expiresAt && new Date(expiresAt);
      await database.query(sql, [hashApiKey(key), namespace, role, cluster, named, types, end]);
    } finally {
      await database.end();
    }
    return new ApiClient(this.url, key);
  }

  async stop(): Promise<void> {
    await this.app.close();
  }
}

function joined(...parts: readonly string[]): string {
  return `/${parts
    .flatMap((part) => part.split("/"))
    .filter((part) => part !== "")
    .join("/")}`;
}

function onDatabase(url: string, scheduler: TestOptions): DynamicModule {
  return DelayTaskModule.forRoot({ url, redis: null, heartbeat: "loop", ...scheduler });
}

async function onPlatform(
  platform: Platform,
  module: DynamicModule,
): Promise<NestFastifyApplication | NestExpressApplication> {
  if (platform === "fastify") return NestFactory.create<NestFastifyApplication>(module, fastifyAdapter(), OPTIONS);
  return withBodyLimit(await NestFactory.create<NestExpressApplication>(module, new ExpressAdapter(), OPTIONS));
}

const OPTIONS = { logger: ["error" as const], abortOnError: false };

function fastifyAdapter(): FastifyAdapter {
  return new FastifyAdapter({ bodyLimit: BODY_LIMIT_BYTES });
}

function withBodyLimit(app: NestExpressApplication): NestExpressApplication {
  return app.useBodyParser("json", { limit: BODY_LIMIT_BYTES });
}
