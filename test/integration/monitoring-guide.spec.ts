import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { INestApplication, Type } from "@nestjs/common";
import { METRICS } from "@tickwheel/core";
import { DelayTaskModule } from "@tickwheel/nestjs";
import { DelayTaskApiModule } from "@tickwheel/api";
import { Counter, register } from "prom-client";
import { hostApi } from "../support/app/hosted-api.js";
import { guideFences, PastedGuide } from "../support/app/pasted-guide.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const GUIDE = "docs/guides/monitoring.md";
const guide = new PastedGuide(GUIDE);
let postgres: TestPostgres;
let app: INestApplication;

beforeAll(async () => {
  postgres = await startTestPostgres();
  const { MetricsController } = await guide.load<{ MetricsController: Type }>("src/metrics.ts");
  const tickwheel = DelayTaskModule.forRoot({ url: postgres.url, heartbeat: "loop" });
  const api = DelayTaskApiModule.forRoot({ path: "tickwheel", notice: false });
  ({ app } = await hostApi({ controllers: [MetricsController], imports: [api, tickwheel] }));
});
afterAll(async () => {
  await app?.close();
  await postgres?.stop();
  guide.remove();
  register.clear();
});

test("the TypeScript block of the guide to monitoring compiles, and it is the only one", async () => {
  expect(await guide.compile()).toBe("");
  expect(guideFences(GUIDE).map(({ language }) => language)).toEqual(["yaml", "ts"]);
});

test("an application's own registry tells its own metrics and the node's", async () => {
  new Counter({ name: "shop_orders_total", help: "Orders." }).inc(3);
  const text = await (await fetch(`${await app.getUrl()}/metrics`)).text();
  expect(text).toContain("shop_orders_total 3\n");
  expect(text).toContain("tickwheel_places 100\n");
  const ofApi = Object.keys(METRICS).filter((name) => name.startsWith("tickwheel_api_"));
  const told = Object.keys(METRICS).filter((name) => text.includes(`# TYPE ${name} `));
  expect(told).toEqual(Object.keys(METRICS));
  expect(ofApi.filter((name) => text.includes(`\n${name} `))).toEqual([]);
});

test("the API of an application with its own registry has no metrics of its own, unless they are asked for", async () => {
  expect((await fetch(`${await app.getUrl()}/tickwheel/metrics`)).status).toBe(404);
});
