import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { INestApplication, Type } from "@nestjs/common";
import { context, trace } from "@opentelemetry/api";
import type { InMemorySpanExporter } from "@opentelemetry/sdk-trace-base";
import { DelayTaskApiModule } from "@tickwheel/api";
import { DelayTaskModule, type DelayTaskService, type TaskDefinition } from "@tickwheel/nestjs";
import { hostApi } from "../support/app/hosted-api.js";
import { guideFences, PastedGuide } from "../support/app/pasted-guide.js";
import { eventually } from "../support/eventually.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

interface Exports {
  exporter: InMemorySpanExporter;
  CancelOrder: TaskDefinition<{ orderId: string }>;
  TracingModule: Type;
}

const GUIDE = "docs/guides/tracing.md";
const guide = new PastedGuide(GUIDE);
let given: Exports;
let postgres: TestPostgres;
let app: INestApplication;
let tasks: DelayTaskService;

beforeAll(async () => {
  postgres = await startTestPostgres();
  given = await guide.load<Exports>("src/tracing.ts");
  const tickwheel = DelayTaskModule.forRoot({ url: postgres.url, heartbeat: "loop" });
  ({ app, tasks } = await hostApi({
    imports: [given.TracingModule, DelayTaskApiModule.forRoot({ notice: false }), tickwheel],
  }));
});
afterAll(async () => {
  await app?.close();
  await postgres?.stop();
  guide.remove();
  trace.disable();
  context.disable();
});

test("the TypeScript block of the guide to tracing compiles, and it is the only one", async () => {
  expect(await guide.compile()).toBe("");
  expect(guideFences(GUIDE).map(({ language }) => language)).toEqual(["ts", "text", "js", "sh"]);
});

test("the spans of the guide's block hang together as the guide draws them", async () => {
  const { task } = await tasks.schedule(given.CancelOrder, { orderId: "42" }, {});
  const spans = await eventually(() => {
    const finished = given.exporter.getFinishedSpans();
    expect(finished).toHaveLength(3);
    return finished;
  });
  const [creation, run, refund] = ["create order.cancel", "process order.cancel", "refund"].map((name) =>
    spans.find((span) => span.name === name)!,
  );
  expect(run!.attributes["messaging.message.id"]).toBe(task.id);
  expect(run!.links.map((link) => link.context.spanId)).toEqual([creation!.spanContext().spanId]);
  expect(refund!.parentSpanContext?.spanId).toBe(run!.spanContext().spanId);
  expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(1);
});
