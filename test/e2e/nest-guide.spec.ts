import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { NestFactory } from "@nestjs/core";
import { DEFAULT_OPTIONS } from "@tickwheel/core";
import { freePort } from "@tickwheel/local-services";
import { DelayTaskModule, DelayTaskService } from "@tickwheel/nestjs";
import { load } from "js-yaml";
import { guideBlocks, NEST_GUIDE, PastedGuide } from "../support/app/pasted-guide.js";
import { ScriptedService } from "../support/app/scripted-service.js";
import { eventually } from "../support/eventually.js";
import { NodeProcess } from "../support/node-process.js";
import { OwnPostgres } from "../support/servers/own-postgres.js";

/** `@sentry/node` hands on what `@sentry/core` has, and has 90 MB beside it. */
const PATHS = { "@sentry/node": ["./node_modules/@sentry/core/build/types/index.d.ts"] };

const guide = new PastedGuide(NEST_GUIDE);
let postgres: OwnPostgres;
let service: ScriptedService;
let node: NodeProcess | null = null;

beforeAll(async () => {
  [postgres, service] = await Promise.all([OwnPostgres.start(), ScriptedService.start()]);
});

afterAll(async () => {
  await node?.kill();
  await service?.stop();
  await postgres?.stop();
  guide.remove();
});

interface LogLine {
  msg: string;
  event?: string;
  err?: { message: string; stack: string };
  [fact: string]: unknown;
}

/** What the process has logged so far: with pino, an object a line. */
function logged(event: string): LogLine[] {
  const lines = node!
    .log()
    .split("\n")
    .filter((line) => line.startsWith("{"));
  return lines.map((line) => JSON.parse(line) as LogLine).filter((line) => line.event === event);
}

/** Calls as another program of the shop would, which runs no tasks. */
async function elsewhere<Answer>(call: (tasks: DelayTaskService) => Promise<Answer>): Promise<Answer> {
  const options = { url: postgres.url, engine: false, migrate: false };
  const other = await NestFactory.createApplicationContext(DelayTaskModule.forRoot(options), { logger: false });
  const answer = await call(other.get(DelayTaskService));
  await other.close();
  return answer;
}

test("every block of the Nest guide compiles strictly", async () => {
  expect(await guide.compile(PATHS)).toBe("");
});

test("the guide's application logs events as pino's fields, is not ready while it drains, and finishes what runs", async () => {
  const port = await freePort();
  const env = { DATABASE_URL: postgres.url, FIGURES_URL: service.url, PORT: String(port) };
  node = new NodeProcess({ script: join(guide.folder, "dist/main.js"), cwd: guide.folder, env });
  const probe = async (path: string): Promise<number> => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
  await eventually(async () => expect([await probe("/health/live"), await probe("/health/ready")]).toEqual([200, 200]));
  expect(logged("node.start.ready")).toEqual([
    expect.objectContaining({ level: 30, types: ["order.cancel", "report.build"], coordination: "postgres" }),
  ]);

  let finish: () => void = () => undefined;
  service.answer = (_request, response) => {
    if (service.requests.length === 1) response.destroy();
    else finish = () => response.end();
  };
  const report = { month: "2026-10", pages: 1 };
  const { task } = await elsewhere((tasks) => tasks.schedule("report.build", report, { key: "2026-10" }));
  await eventually(() => expect(service.requests).toHaveLength(2));
  const [failed] = logged("task.failed");
  expect(failed).toMatchObject({ level: 40, id: task.id, type: "report.build", key: "2026-10", attempt: 1 });
  expect(failed!.err).toMatchObject({
    message: expect.stringContaining("fetch failed"),
    // The frames that the stack of a failed fetch has differ from one release of Node to the next.
    stack: expect.stringMatching(/^TypeError: fetch failed[^]*caused by: /),
  });

  const end = node.stop();
  await eventually(async () => expect(await probe("/health/ready")).toBe(503));
  const draining = [expect.objectContaining({ running: 1, types: ["report.build"] })];
  await eventually(() => expect(logged("node.stop.draining")).toEqual(draining));
  finish();
  await end;
  expect(logged("node.stop.done")).toHaveLength(1);
  expect(logged("node.stop.aborting")).toEqual([]);
  expect(await elsewhere((tasks) => tasks.get(task.id))).toMatchObject({ state: "succeeded", attempt: 2 });
});

interface Probe {
  httpGet: { path: string; port: number };
  periodSeconds: number;
  failureThreshold?: number;
}

interface Deployment {
  spec: {
    template: {
      spec: {
        terminationGracePeriodSeconds: number;
        containers: {
          ports: { containerPort: number }[];
          livenessProbe: Probe;
          readinessProbe: Probe;
          command: string[];
        }[];
      };
    };
  };
}

test("the numbers of the guide's deployment agree with the defaults of a node, and its probes with the routes", () => {
  const [block, ...others] = guideBlocks(NEST_GUIDE, ["yaml"]);
  expect(others).toEqual([]);
  const { terminationGracePeriodSeconds, containers } = (load(block!.text) as Deployment).spec.template.spec;
  const { drainTimeoutMs, loopBlockedFenceMs } = DEFAULT_OPTIONS;
  expect(terminationGracePeriodSeconds * 1_000).toBeGreaterThan(drainTimeoutMs);
  expect(block!.text).toContain(`longer than drainTimeoutMs, ${drainTimeoutMs / 1_000} s`);
  const { ports, livenessProbe, readinessProbe, command } = containers[0]!;
  expect([livenessProbe.httpGet.path, readinessProbe.httpGet.path]).toEqual(["/health/live", "/health/ready"]);
  expect([livenessProbe.httpGet.port, readinessProbe.httpGet.port]).toEqual([3000, 3000]);
  expect([ports, command]).toEqual([[{ containerPort: 3000 }], ["node", "dist/main.js"]]);
  expect(livenessProbe.periodSeconds * livenessProbe.failureThreshold! * 1_000).toBe(loopBlockedFenceMs);
});
