import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type INestApplication, Injectable } from "@nestjs/common";
import { DelayTaskApiModule } from "@tickwheel/api";
import { ClusterInterval, DelayTaskHandler, DelayTaskModule } from "@tickwheel/nestjs";
import { Client } from "pg";
import type { ApiClient, Problem } from "../support/api-client.js";
import { hostApi } from "../support/app/hosted-api.js";
import { eventually } from "../support/eventually.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

type Body = Record<string, unknown>;

let postgres: TestPostgres;
let app: INestApplication;
let api: ApiClient;
let observer: Client;
/** What the API's own description says that only answers have. */
let told: string[];
let letGo = (): void => undefined;
const hold = new Promise<void>((resolve) => (letGo = resolve));

@Injectable()
class Holding {
  @DelayTaskHandler("hold")
  hold(): Promise<void> {
    return hold;
  }

  @ClusterInterval("1h", { name: "in.code", kind: "delay", tags: [] })
  inCode(): void {}
}

beforeAll(async () => {
  postgres = await startTestPostgres();
  const url = await postgres.createDatabase("round_trips");
  ({ app, api } = await hostApi({
    providers: [Holding],
    imports: [DelayTaskApiModule.forRoot({ notice: false }), DelayTaskModule.forRoot({ url, heartbeat: "loop" })],
  }));
  observer = new Client({ connectionString: url });
  await observer.connect();
  const { body } = await api.get<{ components: { schemas: { Schedule: { properties: Record<string, Body> } } } }>(
    "openapi.json",
  );
  const { properties } = body.components.schemas.Schedule;
  told = Object.keys(properties).filter((name) => properties[name]!["readOnly"] === true);
});
afterAll(async () => {
  letGo();
  await observer?.end();
  await app?.close();
  await postgres?.stop();
});

const put = (name: string, body: Body) =>
  api.send<Body & Problem>("PUT", `v1/schedules/${name}`, { body: JSON.stringify(body) });

async function read(name: string): Promise<Body> {
  const { status, body } = await api.get<Body>(`v1/schedules/${name}`);
  expect(status).toBe(200);
  return body;
}

/** Sends back what a read has answered, but for what only answers have. */
async function sentBack(name: string): Promise<unknown[]> {
  const body = await read(name);
  for (const field of told) delete body[field];
  const { status, headers, body: answer } = await put(name, body);
  return [status, headers.get("tickwheel-outcome"), answer.errors ?? answer["revision"]];
}

const unchanged = [200, "unchanged", 1];
const webhook = { kind: "webhook", url: "https://example.com/hook", headers: { "x-shop": "7" }, expectBody: "ok" };
const definitions: [string, Body][] = [
  ["by cron", { cron: "0 3 * * *" }],
  ["by cron in a zone", { cron: "30 2 * * *", timeZone: "Europe/Berlin", gap: "skip", fold: "both", overlap: "allow" }],
  ["at a rate", { every: "15m" }],
  ["at a rate from an anchor", { every: "1h", anchor: "2026-01-01T00:00:07.250Z", misfire: "all", limit: 7 }],
  ["at a rate beside days", { every: "1m", exclude: ["2026-12-24"], timeZone: "Asia/Tokyo", overlap: "buffer" }],
  ["with a delay", { after: "10m", jitter: "5s", pauseAfterFailures: 3 }],
  ["with a delay in a window", { after: "10m", startsAt: "2030-01-01T00:00:00Z", endsAt: "2030-02-01T00:00:00Z" }],
  [
    "with every policy",
    { cron: "* * * 1 *", misfire: "skip", onResume: "last", catchUpLimit: "6h", holdForRetry: true },
  ],
  ["with the options of its tasks", { every: "1h", priority: 0, maxAttempts: 9, timeout: "30s", tags: ["vip", "eu"] }],
  ["with a start deadline and no tag", { every: "1h", startDeadline: "5m", tags: [], exclude: [] }],
  ["with a fixed wait", { every: "1h", backoff: { kind: "fixed", delay: "10s" } }],
  ["with a growing wait", { every: "1h", backoff: { kind: "exponential", initial: "2s", jitter: 0 } }],
  ["with a known ladder", { every: "1h", backoff: "rocketmq" }],
  ["with a payload", { every: "1h", payload: { a: [1, 2.5, null], b: { "": "ü" } } }],
  ["by webhook", { type: "by.webhook", every: "1h", deliver: webhook }],
];

describe("what a read answers is the same definition when it is sent back, of a schedule", () => {
  test.each(definitions)("a read of a schedule sent back is the same definition: %s", async (what, definition) => {
    const name = what.replaceAll(" ", "-");
    const made = await put(name, { type: "report", ...definition });
    expect([made.status, made.body.errors]).toEqual([201, undefined]);
    expect(await sentBack(name)).toEqual(unchanged);
    expect((await api.send("POST", `v1/schedules/${name}/pause`, { body: "{}" })).status).toBe(200);
    expect(await sentBack(name)).toEqual(unchanged);
  });

  test("a read of a schedule whose window has passed is the same definition when it is sent back", async () => {
    const window = { startsAt: "2030-01-01T00:00:00.000Z", endsAt: "2030-02-01T00:00:00.000Z" };
    await put("past", { type: "report", cron: "0 3 * * *", ...window });
    await observer.query(
      "UPDATE tickwheel.schedule SET definition = replace(definition::text, $1, $2)::json WHERE name = 'past'",
      [String(Date.parse(window.endsAt)), String(Date.parse("2020-02-01T00:00:00.000Z"))],
    );
    await observer.query(
      "UPDATE tickwheel.schedule SET definition = replace(definition::text, $1, $2)::json WHERE name = 'past'",
      [String(Date.parse(window.startsAt)), String(Date.parse("2020-01-01T00:00:00.000Z"))],
    );
    expect(await read("past")).toMatchObject({ endsAt: "2020-02-01T00:00:00.000Z" });
    expect(await sentBack("past")).toEqual(unchanged);
    const past = { type: "report", endsAt: "2020-02-01T00:00:00.000Z" };
    const { body } = await put("past", { ...past, cron: "0 4 * * *" });
    expect(body.errors).toEqual([{ path: "endsAt", message: "leaves no instant in the window" }]);
    expect((await put("new", { ...past, cron: "0 3 * * *" })).status).toBe(400);
  });

  test("a read of a schedule with spaces and escapes in its payload is the same definition when it is sent back", async () => {
    const body = `{ "type": "report", "every": "1h", "payload": { "shop" : [ 1,  2 ], "a\\u00fc \\"b" : " x " } }`;
    expect((await api.send("PUT", "v1/schedules/spaced", { body })).status).toBe(201);
    expect(await sentBack("spaced")).toEqual(unchanged);
    const { body: changed } = await put("spaced", { type: "report", every: "1h", payload: { shop: [1, 3] } });
    expect(changed["revision"]).toBe(2);
  });

  test("a read of a schedule of an application's code is the same definition when it is sent back", async () => {
    await eventually(() => read("in.code"));
    expect(await sentBack("in.code")).toEqual(unchanged);
  });
});

test("a field that only answers have, or that nobody knows, stays an unknown field of a schedule", async () => {
  await put("strict", { type: "report", every: "1h" });
  const body = await read("strict");
  // Only of a key without the right `payload`.
  const masked = { ...body, payloadMasked: true };
  const { status, body: problem } = await put("strict", { ...masked, colour: "red" });
  expect([status, problem.errors?.map(({ path }) => path).toSorted()]).toEqual([400, [...told, "colour"].toSorted()]);
  expect(told).toContain("state");
  expect(told).not.toContain("timeZone");
  const idle = { timeZone: "Europe/Berlin", gap: "skip", fold: "both", limit: 5 };
  const { body: refused } = await put("strict", { type: "report", every: "1h", ...idle });
  expect(refused.errors?.map(({ path }) => path).toSorted()).toEqual(Object.keys(idle).toSorted());
});

test("an active schedule with no instant planned says why: its run goes on, or nothing is planned that early", async () => {
  const shown = async (name: string) => {
    const { state, nextAt, waitingFor } = await read(name);
    return [state, nextAt, waitingFor];
  };
  const instant = expect.stringMatching(/Z$/);
  await put("held", { type: "hold", every: "1h", anchor: "2026-01-01T00:00:00Z" });
  expect(await shown("held")).toEqual(["active", instant, null]);
  await api.post("v1/schedules/held/trigger", {});
  await eventually(async () => expect(await shown("held")).toEqual(["active", null, "RUN"]));
  const query = `{ schedule(name: "held") { nextAt waitingFor } }`;
  expect((await api.post("graphql", { query })).body).toEqual({
    data: { schedule: { nextAt: null, waitingFor: "RUN" } },
  });
  letGo();
  await eventually(async () => expect(await shown("held")).toEqual(["active", instant, null]));
  await put("many", { type: "report", cron: "0 0 1 1 *", overlap: "allow" });
  expect(await shown("many")).toEqual(["active", null, "PLAN"]);
  await api.post("v1/schedules/many/pause", {});
  expect(await shown("many")).toEqual(["paused", null, null]);
});
