import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  type ArgumentsHost,
  Body,
  type CallHandler,
  type CanActivate,
  Catch,
  Controller,
  type ExceptionFilter,
  type ExecutionContext,
  Get,
  Injectable,
  Module,
  type NestInterceptor,
  Post,
  SetMetadata,
  ImATeapotException,
} from "@nestjs/common";
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, NestFactory, Reflector } from "@nestjs/core";
import { ExpressAdapter, type NestExpressApplication } from "@nestjs/platform-express";
import { Cron, Interval, ScheduleModule, SchedulerRegistry } from "@nestjs/schedule";
import { DocumentBuilder, SwaggerModule } from "@nestjs/swagger";
import { ApiKeyRing, DelayTaskApiModule } from "@tickwheel/api";
import { DelayTaskModule, DelayTaskService } from "@tickwheel/nestjs";
import { catchError, map, type Observable } from "rxjs";
import { Column, DataSource, Entity, PrimaryColumn } from "typeorm";
import { ApiClient, type Problem, type TaskBody } from "../support/api-client.js";
import { newTestKey } from "../support/cluster.js";
import { eventually } from "../support/eventually.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const PUBLIC = "isPublic";
const Public = (): ClassDecorator => SetMetadata(PUBLIC, true);

/** The application's own guard: everything except public routes needs a user. */
@Injectable()
class UserGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    if (this.reflector.getAllAndOverride(PUBLIC, [context.getHandler(), context.getClass()])) return true;
    return context.switchToHttp().getRequest<{ headers: Record<string, string> }>().headers["x-user"] !== undefined;
  }
}

/** The application's own filter of errors. */
@Catch()
class OwnFilter implements ExceptionFilter {
  catch(error: { getStatus?(): number }, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<{ status(code: number): { json(body: object): void } }>();
    response.status(error.getStatus?.() ?? 500).json({ own: "filter" });
  }
}

/** The application's own wrapping of answers, and its own words for errors. */
@Injectable()
class OwnWrapping implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    return next.handle().pipe(
      map((data) => ({ wrapped: data })),
      catchError(() => {
        throw new ImATeapotException();
      }),
    );
  }
}

@Injectable()
class OwnJobs {
  readonly cronSeconds: number[] = [];
  intervalRuns = 0;

  constructor(readonly registry: SchedulerRegistry) {}

  @Cron("* * * * * *", { name: "own" })
  everySecond(): void {
    this.cronSeconds.push(Math.round(Date.now() / 1000));
  }

  @Cron("* * * * * *")
  unnamed(): void {}

  @Interval("own", 100)
  often(): void {
    this.intervalRuns++;
  }
}

@Controller()
class OwnController {
  @Get("orders")
  orders(): string[] {
    return ["own"];
  }

  @Post("graphql")
  graphql(): object {
    return { data: { own: true } };
  }

  @Get("v1/tasks")
  tasks(): string[] {
    return ["own tasks"];
  }

  @Post("v1/tasks")
  ownBody(@Body() body: unknown): object {
    return { body };
  }
}

@Entity("orders")
class OrderEntity {
  @PrimaryColumn()
  id!: string;

  @Column()
  state!: string;
}

let postgres: TestPostgres;
let dataSource: DataSource;
let app: NestExpressApplication;
let base: string;
let api: ApiClient;
const key = newTestKey();

beforeAll(async () => {
  postgres = await startTestPostgres();
  dataSource = new DataSource({ type: "postgres", url: postgres.url, entities: [OrderEntity] });
  await dataSource.initialize();
  await dataSource.synchronize();

  class OwnModule {}
  Module({
    imports: [
      ScheduleModule.forRoot(),
      DelayTaskApiModule.forRoot({ path: "tickwheel", decorators: [Public()] }),
      DelayTaskModule.forRoot({ dataSource, redis: null, heartbeat: "loop" }),
    ],
    controllers: [OwnController],
    providers: [
      OwnJobs,
      { provide: APP_GUARD, useClass: UserGuard },
      { provide: APP_FILTER, useClass: OwnFilter },
      { provide: APP_INTERCEPTOR, useClass: OwnWrapping },
    ],
  })(OwnModule);

  app = await NestFactory.create<NestExpressApplication>(OwnModule, new ExpressAdapter(), { logger: ["error"] });
  app.setGlobalPrefix("shop");
  await app.get(ApiKeyRing, { strict: false }).ensureFirstKey(key, "default");
  await app.listen(0, "127.0.0.1");
  const { port } = app.getHttpServer().address() as { port: number };
  base = `http://127.0.0.1:${port}/shop/`;
  api = new ApiClient(base, key);
});

afterAll(async () => {
  await app?.close();
  await dataSource?.destroy();
  await postgres?.stop();
});

/** A call of the application's own user, without a key of Tickwheel's. */
const asUser = (method: string, path: string): Promise<{ status: number; body: unknown }> =>
  new ApiClient(base, null).send(method, path, { headers: { "x-user": "me" } });

describe("an application with a schedule, a guard, a filter, a wrapping interceptor, a prefix and a GraphQL route of its own", () => {
  test("a foreign application runs each of its jobs once", async () => {
    const jobs = app.get(OwnJobs);
    await eventually(() => expect(jobs.cronSeconds.length).toBeGreaterThanOrEqual(3));
    expect(new Set(jobs.cronSeconds).size).toBe(jobs.cronSeconds.length);
    expect(jobs.intervalRuns).toBeGreaterThan(0);
    expect([jobs.registry.getCronJobs().size, jobs.registry.getIntervals()]).toEqual([2, ["own"]]);
  });

  test("a foreign application keeps its own routes, guard, filter and interceptor", async () => {
    expect(await asUser("GET", "orders")).toMatchObject({ status: 200, body: { wrapped: ["own"] } });
    expect(await asUser("GET", "v1/tasks")).toMatchObject({ status: 200, body: { wrapped: ["own tasks"] } });
    expect(await asUser("POST", "graphql")).toMatchObject({ status: 201, body: { wrapped: { data: { own: true } } } });
    const body = { type: "own", payload: { a: 1 } };
    const asOwn = { body: JSON.stringify(body), headers: { "x-user": "me" } };
    expect(await new ApiClient(base, null).send("POST", "v1/tasks", asOwn)).toMatchObject({
      body: { wrapped: { body } },
    });
    expect(await new ApiClient(base, null).get("orders")).toMatchObject({ status: 403, body: { own: "filter" } });
    expect(await asUser("GET", "nothing")).toMatchObject({ status: 404, body: { own: "filter" } });
  });

  test("a foreign application has Tickwheel's API below its prefix, open only to Tickwheel's keys", async () => {
    const { status, body } = await api.post<TaskBody>("tickwheel/v1/tasks", { type: "own.later", delay: "1h" });
    expect(status).toBe(201);
    expect(await api.get(`tickwheel/v1/tasks/${body.id}`)).toMatchObject({ status: 200, body: { id: body.id } });
    const { data } = (
      await api.post<{ data: unknown }>("tickwheel/graphql", { query: `{ task(id: "${body.id}") { state } }` })
    ).body;
    expect(data).toEqual({ task: { state: "scheduled" } });
    const refused = await new ApiClient(base, null).get<Problem>("tickwheel/v1/tasks");
    expect([refused.status, refused.body.code]).toEqual([401, "UNAUTHENTICATED"]);
    expect(await api.get("tickwheel/v1/tasks?limit=0")).toMatchObject({
      status: 400,
      body: { code: "VALIDATION_FAILED", errors: [{ path: "limit" }] },
    });
    expect(await api.get("tickwheel/v1/stats")).toMatchObject({ status: 200, body: { counts: { running: 0 } } });
    expect((await new ApiClient(base, null).get("tickwheel/health/live")).status).toBe(200);
    expect((await new ApiClient(base, null).get<string>("tickwheel/dashboard/")).body).toContain("<!doctype html>");
    expect((await new ApiClient(base, null).get<string>("tickwheel/docs/")).body).toContain("<!doctype html>");
  });

  test("a foreign application keeps payloads character by character below its prefix, and accepts larger bodies than its own", async () => {
    const payload = '{ "__proto__": 12345678901234567890, "a": 1e400 }';
    const body = `{"type":"own.later","delay":"1h","payload":${payload}}`;
    const created = await api.send<TaskBody>("POST", "tickwheel/v1/tasks", { body });
    const headers = { authorization: `Bearer ${key}` };
    const shown = await fetch(new URL(`tickwheel/v1/tasks/${created.body.id}`, base), { headers });
    expect(await shown.text()).toContain(`"payload":${payload}`);
    const many = Array.from({ length: 20 }, () => ({ type: "own.later", delay: "1h", payload: "x".repeat(20_000) }));
    expect(await api.post("tickwheel/v1/tasks/bulk", { tasks: many })).toMatchObject({ status: 200 });
  });

  test("a foreign application schedules in its own transaction, and after a rollback nothing was scheduled", async () => {
    const tasks = app.get(DelayTaskService, { strict: false });
    const rolledBack = dataSource.transaction(async (manager) => {
      await manager.save(OrderEntity, { id: "1", state: "open" });
      await tasks.schedule("own.transactional", {}, { delay: "1h", manager });
      throw new Error("no order after all");
    });
    await expect(rolledBack).rejects.toThrow("no order after all");
    expect((await api.get<{ items: unknown[] }>("tickwheel/v1/tasks?type=own.transactional")).body.items).toEqual([]);
  });

  test("a foreign application finds none of Tickwheel's calls in its own OpenAPI document", () => {
    const document = SwaggerModule.createDocument(app, new DocumentBuilder().build());
    const paths = Object.keys(document.paths);
    expect(paths.sort()).toEqual(["/shop/graphql", "/shop/orders", "/shop/v1/tasks"]);
    expect(document.components?.schemas).toEqual({});
  });

  test("a foreign application finds nothing of Tickwheel's when it generates its migrations", async () => {
    const { upQueries, downQueries } = await dataSource.driver.createSchemaBuilder().log();
    expect([upQueries.map(({ query }) => query), downQueries.map(({ query }) => query)]).toEqual([[], []]);
  });
});
