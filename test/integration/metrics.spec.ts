import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { METRICS } from "@tickwheel/core";
import { ApiApplication } from "../support/api-application.js";
import type { TaskBody } from "../support/api-client.js";
import { eventually } from "../support/eventually.js";
import { scraped } from "../support/servers/scraped.js";
import { Prometheus, promtool } from "../support/servers/prometheus.js";
import { OwnPostgres } from "../support/servers/own-postgres.js";

let postgres: OwnPostgres;
let app: ApiApplication;
/** It looks for what to scrape once in five seconds, so it starts before it is needed. */
let starting: Promise<Prometheus>;

beforeAll(async () => {
  [postgres] = await Promise.all([OwnPostgres.start(), promtool(["--version"])]);
  app = await ApiApplication.start("fastify", await postgres.createDatabase("metrics"));
  starting = Prometheus.start(new URL(app.url).host, app.key);
  starting.catch(() => undefined);
});
afterAll(async () => {
  await starting?.then(
    (prometheus) => prometheus.stop(),
    () => undefined,
  );
  await app.stop();
  await postgres.stop();
});

const scrape = (key = app.key): Promise<Response> =>
  fetch(`${app.url}/metrics`, { headers: { authorization: `Bearer ${key}` } });

const valuesOf = (name: string): Promise<Map<string, number>> => scraped(app, app.key, name);

const OF_ECHO = '{namespace="default",type="test.echo"}';
const OF_FAIL = '{namespace="default",type="test.fail"}';

async function runTasks(): Promise<void> {
  const tasks = [
    ...Array.from({ length: 20 }, () => ({ type: "test.echo", payload: { a: 1 } })),
    { type: "test.fail", payload: null },
  ];
  const { body } = await app.admin.post<{ results: { task: TaskBody }[] }>("/v1/tasks/bulk", {
    tasks,
  });
  for (const { task } of body.results)
    await eventually(async () => {
      const { body: now } = await app.admin.send<TaskBody>("GET", `/v1/tasks/${task.id}`);
      expect(["succeeded", "dead"]).toContain(now.state);
    });
}

describe("/metrics", () => {
  test("/metrics counts what the tasks of this node did", async () => {
    await runTasks();
    await eventually(async () => {
      expect((await valuesOf("tickwheel_tasks_succeeded_total")).get(OF_ECHO)).toBe(20);
      expect((await valuesOf("tickwheel_tasks_dead_total")).get(OF_FAIL)).toBe(1);
    });
    expect((await valuesOf("tickwheel_task_lateness_seconds_count")).get(OF_ECHO)).toBe(20);
    expect((await valuesOf("tickwheel_task_run_seconds_count")).get(OF_ECHO)).toBe(20);
    expect((await valuesOf("tickwheel_task_failures_total")).get(OF_FAIL)).toBe(1);
    expect((await valuesOf("tickwheel_task_retries_total")).get(OF_FAIL)).toBe(0);
    expect((await valuesOf("tickwheel_claim_got_total")).get("")).toBeGreaterThanOrEqual(21);
    expect((await valuesOf("tickwheel_settle_seconds_count")).get("")).toBeGreaterThanOrEqual(1);
    expect((await valuesOf("tickwheel_places_taken")).get("")).toBe(0);
    await eventually(async () => expect((await valuesOf("tickwheel_overdue_tasks")).get(OF_ECHO)).toBe(0));
  });

  test("/metrics tells every metric of the catalogue, and promtool finds nothing wrong with it", async () => {
    const answer = await scrape();
    expect(answer.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
    const text = await answer.text();
    for (const [name, { kind }] of Object.entries(METRICS)) expect(text).toContain(`# TYPE ${name} ${kind}\n`);
    const told = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!);
    expect(told.toSorted()).toEqual(Object.keys(METRICS).toSorted());
    const series = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    expect(new Set(series.map((line) => line.slice(0, line.lastIndexOf(" ")))).size).toBe(series.length);
    expect(await promtool(["check", "metrics"], text)).toEqual({ code: 0, output: "" });
  });

  test("promtool finds what is wrong with metrics", async () => {
    const wrong = "# HELP tickwheel_claims Claims.\n# TYPE tickwheel_claims counter\ntickwheel_claims 1\n";
    expect((await promtool(["check", "metrics"], wrong)).code).not.toBe(0);
  });

  test("/metrics is scraped by Prometheus", async () => {
    const prometheus = await starting;
    await eventually(async () => {
      expect(await prometheus.query("up")).toMatchObject([{ value: 1 }]);
      const succeeded = await prometheus.query('tickwheel_tasks_succeeded_total{type="test.echo"}');
      expect(succeeded).toMatchObject([{ labels: { namespace: "default" }, value: 20 }]);
    });
    const p99 = "histogram_quantile(0.99, sum by (le) (tickwheel_task_lateness_seconds_bucket))";
    const [quantile] = await prometheus.query(p99);
    expect(quantile!.value).toBeGreaterThan(0);
  });

  test("/metrics needs a key with the right cluster", async () => {
    const viewer = await app.clientAs({ role: "viewer" });
    expect((await viewer.send("GET", "/metrics")).status).toBe(403);
    expect((await scrape("x".repeat(40))).status).toBe(401);
    expect((await fetch(`${app.url}/metrics`)).status).toBe(401);
  });

  test("/metrics tells while Postgres is away that it is, to a key that was let in before, and to no other", async () => {
    expect((await scrape()).status).toBe(200);
    await postgres.kill();
    await eventually(async () => expect((await valuesOf("tickwheel_degraded")).get('{part="postgres"}')).toBe(1));
    // A look-up is believed for a few seconds.
    await eventually(async () => {
      expect((await app.admin.send("GET", "/openapi.json")).status).toBe(503);
      expect((await scrape()).status).toBe(200);
    });
    expect((await scrape("y".repeat(40))).status).toBe(503);
    await postgres.restart();
    await eventually(async () => expect((await valuesOf("tickwheel_degraded")).get('{part="postgres"}')).toBe(0));
  });
});
