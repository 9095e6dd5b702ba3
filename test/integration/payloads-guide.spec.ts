import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { Type } from "@nestjs/common";
import { Test, type TestingModule } from "@nestjs/testing";
import { DelayTaskService, type TaskDefinition } from "@tickwheel/nestjs";
import { DelayTaskTesting, DelayTaskTestingModule } from "@tickwheel/testing/nest";
import { PastedGuide } from "../support/app/pasted-guide.js";

const guide = new PastedGuide("docs/guides/payloads.md");
type Exports = Record<string, unknown>;
const given: Exports = {};

beforeAll(async () => {
  for (const { file } of guide.blocks) Object.assign(given, await guide.load<Exports>(file));
});
afterAll(() => guide.remove());

let app: TestingModule;
let tasks: DelayTaskTesting;
let service: DelayTaskService;
afterEach(() => app?.close());

/** An application with one handler of the guide. @returns that handler */
async function started<Handler>(name: string): Promise<Handler> {
  const handler = given[name] as Type<Handler>;
  app = await Test.createTestingModule({ providers: [handler], imports: [DelayTaskTestingModule.forRoot()] }).compile();
  await app.init();
  [tasks, service] = [DelayTaskTesting.of(app), app.get(DelayTaskService)];
  return app.get(handler);
}

function pathsOf(refused: Promise<unknown>): Promise<string[]> {
  return refused.then(
    () => [],
    ({ code, faults }: { code: string; faults: { path: string }[] }) => [code, ...faults.map(({ path }) => path)],
  );
}

test("the blocks of the guide to payloads compile with the libraries' own types", async () => {
  expect(await guide.compile()).toBe("");
});

test("types alone check no payload when the program runs", async () => {
  const { cancelled } = await started<{ cancelled: unknown[] }>("UnpaidOrders");
  await (given["place"] as (tasks: DelayTaskService) => Promise<void>)(service);
  await tasks.advance("15m");
  // Two of one instant, in any order.
  expect(new Set(cancelled)).toEqual(new Set(["42", undefined]));
});

describe("a schema", () => {
  test("a schema gives the handler its defaults", async () => {
    const { shipped } = await started<{ shipped: string[] }>("Shipments");
    await (given["ship"] as (tasks: DelayTaskService, orderId: string) => Promise<void>)(service, "42");
    await tasks.advance("1h");
    expect(shipped).toEqual(["42 by post"]);
  });

  test("a schema refuses what does not fit, with the path that the guide names, also without the definition", async () => {
    await started("Shipments");
    const payload = { orderId: "42", items: [{ sku: "pen", count: 0 }] };
    const paths = ["VALIDATION_FAILED", "payload.items[0].count"];
    expect(await pathsOf(service.schedule("order.ship", payload))).toEqual(paths);
    expect(await pathsOf(service.schedule(given["ShipOrder"] as TaskDefinition<unknown, object>, payload))).toEqual(
      paths,
    );
    await tasks.expectNoTask("order.ship");
  });
});

describe("a new version", () => {
  test.each([
    [undefined, { guest: "g" }, ["g by mail"]],
    [1, { guest: "g" }, ["g by mail"]],
    [2, { guestId: "g", channel: "text" }, ["g by text"]],
  ])("a new version of a payload runs what was stored with version %s", async (version, payload, sent) => {
    const reminders = await started<{ sent: string[] }>("Reminders");
    await storedBy(version, payload);
    await tasks.runDue();
    expect(reminders.sent).toEqual(sent);
  });

  test("a payload that a newer node has made and that does not fit is tried again", async () => {
    await started("Reminders");
    await storedBy(3, { guests: ["g"] });
    await tasks.runDue();
    const task = await tasks.expectTask("guest.remind").inState("scheduled");
    expect(task.lastError).toContain("payload version 3, this handler knows 2");
  });

  test("a task whose payload does not fit is dead, and is checked anew when it is retried", async () => {
    await started("Reminders");
    await storedBy(2, { guestId: "g", channel: "pigeon" });
    await tasks.runDue();
    const { id, reason, lastError } = await tasks.expectTask("guest.remind").inState("dead");
    expect([reason, lastError]).toEqual(["PAYLOAD_INVALID", expect.stringContaining("payload.channel")]);
    await service.retry(id);
    await tasks.runDue();
    await tasks.expectTask("guest.remind").inState("dead");
  });

  /** As another release has stored it: its definition is not that of the handler here. */
  async function storedBy(version: number | undefined, payload: object): Promise<void> {
    const { defineTask } = await import("@tickwheel/nestjs");
    const any = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } } as const;
    const definition = { schema: any, ...(version !== undefined && { version }) };
    const old = defineTask("guest.remind", definition) as TaskDefinition<unknown, object>;
    await service.schedule(old, payload);
  }
});

test.each(["OfValibot", "OfArktype", "OfClass"])("the definition %s checks its payloads", async (name) => {
  await started("Shipments");
  const definition = given[name] as TaskDefinition<unknown, object>;
  expect(await pathsOf(service.schedule(definition, { orderId: "" }))).toEqual([
    "VALIDATION_FAILED",
    "payload.orderId",
  ]);
  expect(await pathsOf(service.schedule(definition, { orderId: "42" }))).toEqual([]);
});
