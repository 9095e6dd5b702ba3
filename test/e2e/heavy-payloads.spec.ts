import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Injectable } from "@nestjs/common";
import type { Fault } from "@tickwheel/core";
import { DelayTaskApiModule } from "@tickwheel/api";
import { DelayTaskHandler, DelayTaskModule, defineTask } from "@tickwheel/nestjs";
import { openPostgres } from "@tickwheel/postgres-store";
import * as z from "zod";
import { type HostedApi, hostApi } from "../support/app/hosted-api.js";
import { newTestKey, startSchedulerNode, type TestNode, TestStage } from "../support/cluster.js";
import { eventually } from "../support/eventually.js";

const FIELDS = Array.from({ length: 20 }, (_, index) => [`f${index}`, z.string()] as const);
const branches = Array.from({ length: 20 }, (_, index) =>
  z.object({ kind: z.literal(`k${index}`), ...Object.fromEntries(FIELDS) }),
);
const Report = defineTask("report.make", { schema: z.array(z.union(branches)) });
/** A list of 63 KB; each of its items is wrong in each of the 20 branches, 20 times. */
const HEAVY = Array(21_000).fill({});

@Injectable()
class Handlers {
  @DelayTaskHandler(Report)
  make(): void {}
}

const stage = new TestStage();
const apiKey = newTestKey();
let owner: HostedApi | undefined;
/** A process that serves other callers, too, and has little memory. It knows only what the other node announces. */
let stranger: TestNode;

beforeAll(async () => {
  const { databaseUrl } = await stage.services();
  const imports = [
    DelayTaskApiModule.forRoot({ notice: false }),
    DelayTaskModule.forRoot({ url: databaseUrl, redis: null, heartbeat: "loop" }),
  ];
  owner = await hostApi({ imports, providers: [Handlers] }, apiKey);
  const stores = openPostgres({ url: databaseUrl, size: 1 });
  try {
    await eventually(async () => {
      const types = await stores.tasks.listTypes();
      expect(types.some(({ policy }) => policy?.payloadSchema !== undefined)).toBe(true);
    });
  } finally {
    await stores.close();
  }
  const env = { NODE_OPTIONS: "--max-old-space-size=512" };
  stranger = await stage.add(await startSchedulerNode({ databaseUrl, apiKey, env }));
});
afterAll(async () => {
  await owner?.app.close();
  await stage.stop();
});

test("one payload of very many faults ends no node, and other callers are answered", async () => {
  const post = (type: string, payload: unknown) =>
    stranger.client.post<{ errors?: Fault[] }>("/v1/tasks", { type, payload, delay: "1d" });
  const others = Array.from({ length: 20 }, () => post("other", {}));
  const heavy = await post("report.make", HEAVY);
  expect(heavy.status).toBe(400);
  expect(heavy.body.errors).toHaveLength(50);
  const answers = await Promise.all([...others, post("other", {})]);
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
});
