import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { type INestApplication, Injectable } from "@nestjs/common";
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { DelayTaskApiModule } from "@tickwheel/api";
import {
  type DelayTask,
  type DelayTaskContext,
  DelayTaskHandler,
  DelayTaskModule,
  DelayTaskService,
  OnDelayTaskEvent,
  type TelemetryEvent,
} from "@tickwheel/nestjs";
import { Client } from "pg";
import type { ApiClient, TaskBody } from "../support/api-client.js";
import { hostApi } from "../support/app/hosted-api.js";
import { eventually } from "../support/eventually.js";
import { WebhookReceiver } from "../support/webhook-receiver.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const SPAN_ID = "b7ad6b7169203331";
const HEADERS = {
  traceparent: `00-${TRACE_ID}-${SPAN_ID}-01`,
  tracestate: "rojo=00f067aa0ba902b7",
  baggage: "tenant=seven,secret=eleven",
};

const exporter = new InMemorySpanExporter();
const told: TelemetryEvent[] = [];
let postgres: TestPostgres;
let receiver: WebhookReceiver;
let database: Client;
let app: INestApplication;
let api: ApiClient;
let tasks: DelayTaskService;

@Injectable()
class Handlers {
  constructor(private readonly delayTasks: DelayTaskService) {}

  @DelayTaskHandler("trace.run")
  async run({ payload, attempt }: DelayTask<{ failures?: number }>, ctx: DelayTaskContext): Promise<void> {
    await trace.getTracer("test").startActiveSpan("inner", async (span) => span.end());
    if (attempt <= (payload.failures ?? 0)) throw new RangeError(`attempt ${attempt} was meant to fail`);
    ctx.progress(1, "done");
  }

  @DelayTaskHandler("trace.spread")
  async spread(_task: DelayTask, ctx: DelayTaskContext): Promise<void> {
    await ctx.spawn([{ task: "trace.spawned", payload: null }]);
    await this.delayTasks.schedule("trace.scheduled", null, {});
  }

  @DelayTaskHandler("trace.spawned")
  spawned(): void {}

  @DelayTaskHandler("trace.scheduled")
  scheduled(): void {}

  @OnDelayTaskEvent("task.failed")
  failed(event: TelemetryEvent): void {
    told.push(event);
  }
}

beforeAll(async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  [postgres, receiver] = await Promise.all([startTestPostgres(), WebhookReceiver.start()]);
  const options = {
    url: postgres.url,
    heartbeat: "loop" as const,
    minBackoffMs: 1,
    webhookAllowedHosts: [receiver.host],
    tracing: { baggage: ["tenant"] },
  };
  const imports = [DelayTaskApiModule.forRoot({ notice: false }), DelayTaskModule.forRoot(options)];
  ({ app, api, tasks } = await hostApi({ imports, providers: [Handlers] }));
  database = new Client({ connectionString: postgres.url });
  await database.connect();
});
afterEach(() => exporter.reset());
afterAll(async () => {
  await database?.end();
  await app?.close();
  await receiver?.stop();
  await postgres?.stop();
  trace.disable();
  context.disable();
});

/** Spans of this name about a task, in the order of their ends. */
function spansOf(name: string, taskId?: string): ReadableSpan[] {
  return exporter
    .getFinishedSpans()
    .filter((span) => span.name === name && [undefined, span.attributes["messaging.message.id"]].includes(taskId));
}

async function ended(id: string): Promise<TaskBody> {
  return eventually(async () => {
    const { body } = await api.get<TaskBody>(`/v1/tasks/${id}`);
    expect(body.finishedAt).not.toBeNull();
    return body;
  });
}

/** What is stored of a task's delivery. */
async function stored(id: string): Promise<unknown> {
  const { rows } = await database.query<{ delivery: unknown }>(
    "SELECT delivery FROM tickwheel.task WHERE id = $1 UNION ALL SELECT delivery FROM tickwheel.history WHERE id = $1",
    [id],
  );
  return rows[0]?.delivery;
}

const ids = (spans: readonly ReadableSpan[]) => spans.map((span) => span.spanContext().spanId);
const linksOf = (span: ReadableSpan | undefined) => span?.links.map((link) => link.context.spanId);

describe("a task created over REST", () => {
  test("a task over REST is one trace from the request to its runs, also the retried one, each of which links to its creation", async () => {
    const input = { type: "trace.run", payload: { failures: 1 }, backoff: { kind: "fixed", delay: 1 } };
    const { body: task, status } = await api.post<TaskBody>("/v1/tasks", input, HEADERS);
    expect(status).toBe(201);
    expect(await ended(task.id)).toMatchObject({ state: "succeeded", attempt: 2 });
    const [creation] = spansOf("create trace.run", task.id);
    const runs = await eventually(() => {
      const found = spansOf("process trace.run", task.id);
      expect(found).toHaveLength(2);
      return found;
    });
    expect(creation?.parentSpanContext?.spanId).toBe(SPAN_ID);
    const all = [creation!, ...runs, ...spansOf("inner")];
    expect(new Set(all.map((span) => span.spanContext().traceId))).toEqual(new Set([TRACE_ID]));
    for (const run of runs) {
      expect(linksOf(run)).toEqual(ids([creation!]));
      expect(run.parentSpanContext?.spanId).toBe(creation!.spanContext().spanId);
    }
    expect(runs.map(({ attributes }) => attributes["tickwheel.outcome"])).toEqual(["failed", "succeeded"]);
    expect(runs[0]?.events.map(({ name }) => name)).toEqual(["exception"]);
    expect(told.at(-1)?.errorText).toMatch(/RangeError: attempt 1 was meant to fail\n/);
    expect(told.at(-1)?.errorText).not.toMatch(/opentelemetry|observability/);
    expect(spansOf("inner").map((span) => span.parentSpanContext?.spanId)).toEqual(ids(runs));
  });

  test("a task created over REST carries what is allowed of its trace, and no view, event or journal shows any of it", async () => {
    const input = { type: "trace.run", key: "seen", payload: { failures: 9 }, maxAttempts: 1 };
    const { body: task } = await api.post<TaskBody>("/v1/tasks", input, HEADERS);
    await ended(task.id);
    const creation = spansOf("create trace.run", task.id)[0]!.spanContext();
    const carried = `00-${TRACE_ID}-${creation.spanId}-01`;
    expect(await stored(task.id)).toEqual({
      kind: "handler",
      trace: { traceparent: carried, tracestate: HEADERS.tracestate, baggage: "tenant=seven" },
    });
    const query = `{ task(id: "${task.id}") { id key payload deliver { url headers } because { code } } }`;
    const views = await Promise.all([
      api.get(`/v1/tasks/${task.id}`),
      api.get(`/v1/tasks/${task.id}/journal`),
      api.get("/v1/tasks?type=trace.run"),
      api.post("/graphql", { query }),
      tasks.get(task.id),
      tasks.journal(task.id),
      tasks.find({ key: "seen" }),
    ]);
    const shown = JSON.stringify([task, ...views, ...told]);
    expect(views.every((view) => JSON.stringify(view).includes("{"))).toBe(true);
    expect(
      ['trace":', "traceparent", "seven", "rojo", TRACE_ID, creation.spanId].filter((word) => shown.includes(word)),
    ).toEqual([]);
  });

  test("a create over REST gives the first task again for its idempotency key under another trace, which changes nothing of it", async () => {
    const input = { type: "trace.run", payload: {} };
    const other = { traceparent: `00-${"c".repeat(32)}-${"d".repeat(16)}-01` };
    const create = (headers: Record<string, string>) =>
      api.post<TaskBody>("/v1/tasks", input, { ...headers, "Idempotency-Key": "the-same" });
    const first = await create(HEADERS);
    const second = await create(other);
    expect([second.status < 300, second.body.id]).toEqual([true, first.body.id]);
    expect(JSON.stringify(await stored(first.body.id))).toContain(TRACE_ID);
    await ended(first.body.id);
  });

  test("a task created over REST begins a trace of its own where the headers are malformed", async () => {
    const headers = { ...HEADERS, traceparent: "00-nonsense" };
    const { status, body: task } = await api.post<TaskBody>("/v1/tasks", { type: "trace.run", payload: {} }, headers);
    expect(status).toBe(201);
    await ended(task.id);
    const [creation] = spansOf("create trace.run", task.id);
    expect(creation?.parentSpanContext).toBeUndefined();
    expect(creation?.spanContext().traceId).not.toBe(TRACE_ID);
  });
});

test("many tasks of one call share its span, over REST, GraphQL and as members of a batch", async () => {
  const two = [0, 1].map(() => ({ type: "trace.run", payload: {} }));
  const bulk = await api.post<{ items: { task: TaskBody }[] }>("/v1/tasks/bulk", { tasks: two }, HEADERS);
  const query = "mutation ($inputs: [TaskInput!]!) { scheduleTasks(inputs: $inputs) { task { id } } }";
  const graphql = await api.post<{ data: { scheduleTasks: { task: TaskBody }[] } }>(
    "/graphql",
    { query, variables: { inputs: two } },
    HEADERS,
  );
  const batch = { tasks: two, seal: true, onComplete: { type: "trace.spawned", payload: null } };
  expect((await api.post("/v1/batches", batch, HEADERS)).status).toBe(201);
  await eventually(() => {
    expect(spansOf("process trace.run")).toHaveLength(6);
    expect(spansOf("process trace.spawned")).toHaveLength(1);
  });
  const calls = exporter.getFinishedSpans().filter(({ name }) => name.startsWith("create"));
  expect(calls.map(({ name }) => name)).toEqual(["create trace.run", "create trace.run", "create"]);
  expect(calls.map(({ attributes }) => attributes["messaging.batch.message_count"])).toEqual([2, 2, 2]);
  const links = [...spansOf("process trace.run"), ...spansOf("process trace.spawned")].flatMap(linksOf);
  const counts = ids(calls).map((id) => links.filter((link) => link === id).length);
  expect(counts).toEqual([2, 2, 3]);
  expect([bulk.status, graphql.status]).toEqual([200, 200]);
});

test("tasks that a handler spawns and schedules are created in its run's span", async () => {
  const { task } = await tasks.schedule("trace.spread", null, {});
  const [spawned, scheduled] = await eventually(() => {
    const found = ["trace.spawned", "trace.scheduled"].map((type) => spansOf(`process ${type}`)[0]!);
    expect(found.every(Boolean)).toBe(true);
    return found;
  });
  const [run] = spansOf("process trace.spread", task.id);
  expect(linksOf(spawned)).toEqual(ids([run!]));
  const [creation] = spansOf("create trace.scheduled");
  expect(creation?.parentSpanContext?.spanId).toBe(run!.spanContext().spanId);
  expect(linksOf(scheduled)).toEqual(ids([creation!]));
});

test("a call in code has the active span for its parent", async () => {
  const { taskId, spanId } = await trace.getTracer("test").startActiveSpan("checkout", async (span) => {
    const { task } = await tasks.schedule("trace.run", {}, {});
    span.end();
    return { taskId: task.id, spanId: span.spanContext().spanId };
  });
  expect(spansOf("create trace.run", taskId)[0]?.parentSpanContext?.spanId).toBe(spanId);
});

test("a webhook carries the span of its run on", async () => {
  const input = { type: "trace.hook", payload: null, deliver: { kind: "webhook", url: receiver.urlOf("/traced") } };
  const { body: task } = await api.post<TaskBody>("/v1/tasks", input, HEADERS);
  await ended(task.id);
  const run = await eventually(() => {
    const [found] = spansOf("process trace.hook", task.id);
    expect(found).toBeDefined();
    return found!;
  });
  expect(receiver.at("/traced")[0]?.headers).toMatchObject({
    traceparent: `00-${TRACE_ID}-${run.spanContext().spanId}-01`,
    tracestate: HEADERS.tracestate,
    baggage: "tenant=seven",
  });
  expect(JSON.stringify((await api.get(`/v1/tasks/${task.id}`)).body)).not.toContain(TRACE_ID);
});
