import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { Client } from "pg";
import { ApiApplication } from "../support/api-application.js";
import type { ApiClient, TaskBody } from "../support/api-client.js";
import { eventually } from "../support/eventually.js";
import { printFigures } from "../support/figures.js";
import { OwnPostgres } from "../support/servers/own-postgres.js";

const DELAY = "1h";
/** 5,000 merges of 140 bytes: 0.7 MB, of which a payload of 64 KB takes no tenth. */
const MERGES = 5_000;
const BULKS = 3;
/** Keyed creates of another namespace beside each bulk. */
const OTHERS = 60;

interface Bulk {
  results: { status: string; error?: { code: string } }[];
}

let postgres: OwnPostgres;
let url: string;
let app: ApiApplication;
let other: ApiClient;

beforeAll(async () => {
  postgres = await OwnPostgres.start();
  url = await postgres.createDatabase("overflowing_bulks");
  app = await ApiApplication.start("fastify", url);
  other = await app.clientAs({ role: "operator", namespace: "other" });
});
afterAll(async () => {
  await app?.stop();
  await postgres?.stop();
});

function mergesOf(key: string, count: number): object[] {
  return Array.from({ length: count }, (_, place) => ({
    type: "test.echo",
    key,
    onConflict: "merge",
    merge: { s: "append" },
    delay: DELAY,
    payload: { s: [String(place).padStart(100, "x")] },
  }));
}

async function statusesOf(client: ApiClient, tasks: readonly object[]): Promise<Record<string, number>> {
  const { status, body } = await client.post<Bulk>("/v1/tasks/bulk", { tasks });
  expect(status).toBe(200);
  const counts: Record<string, number> = {};
  for (const result of body.results) {
    const outcome = result.error?.code ?? result.status;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

test("bulks of merges that grow a key past its limit are answered, and hold up no namespace", async () => {
  const bulks = Promise.all(Array.from({ length: BULKS }, () => statusesOf(app.admin, mergesOf("full", MERGES))));
  const times: number[] = [];
  for (let count = 0; count < OTHERS; count++) {
    const sentMs = performance.now();
    const task = { type: "test.echo", key: `order:${count}`, delay: DELAY, payload: null };
    const { status } = await other.post<TaskBody>("/v1/tasks", task);
    times.push(performance.now() - sentMs);
    expect(status).toBe(201);
  }
  const counts = await bulks;
  printFigures("beside bulks that overflow a key", { longestMs: Math.round(Math.max(...times)), creates: OTHERS });
  const merged = counts.reduce((sum, { created = 0, merged: more = 0 }) => sum + created + more, 0);
  const refused = counts.reduce((sum, { PAYLOAD_TOO_LARGE: some = 0 }) => sum + some, 0);
  expect(merged + refused).toBe(BULKS * MERGES);
  const { body } = await app.admin.get<{ items: TaskBody[] }>("/v1/tasks?type=test.echo&key=full");
  const { s } = body.items[0]!.payload as { s: string[] };
  expect([body.items.length, s.length]).toEqual([1, merged]);
  // One more would not fit.
  expect(JSON.stringify(body.items[0]!.payload).length + 2 * s.length).toBeGreaterThan(65_536 - 250);
});

test("a bulk whose caller has gone writes nothing any more", async () => {
  await statusesOf(app.admin, mergesOf("locked", 1));
  const holder = new Client({ connectionString: url });
  await holder.connect();
  try {
    await holder.query("BEGIN");
    await holder.query("SELECT FROM tickwheel.task WHERE key = 'locked' FOR UPDATE");
    const leaving = new AbortController();
    const body = JSON.stringify({ tasks: [...mergesOf("fresh", 1), ...mergesOf("locked", 1)] });
    const headers = { authorization: `Bearer ${app.key}`, "content-type": "application/json" };
    const sent = fetch(`${app.url}/v1/tasks/bulk`, { method: "POST", headers, body, signal: leaving.signal });
    sent.catch(() => undefined);
    const waiting = "SELECT count(*)::integer AS count FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    const waitingCalls = async (): Promise<number> => (await holder.query<{ count: number }>(waiting)).rows[0]!.count;
    await eventually(async () => expect(await waitingCalls()).toBeGreaterThan(0));
    leaving.abort();
    await expect(sent).rejects.toThrow(/abort/i);
    // The node ends the transaction of a call as soon as it hears that its client has gone.
    await eventually(async () => expect(await waitingCalls()).toBe(0));
    await holder.query("COMMIT");
  } finally {
    await holder.end();
  }
  // The queue of the key is served in the order of the calls: what comes behind the one that left is written after it.
  await statusesOf(app.admin, mergesOf("locked", 1));
  const keys = ["fresh", "locked"].map((key) =>
    app.admin.get<{ items: TaskBody[] }>(`/v1/tasks?type=test.echo&key=${key}`),
  );
  const [fresh, locked] = (await Promise.all(keys)).map(({ body }) => body.items);
  expect([fresh!.length, (locked![0]!.payload as { s: string[] }).s.length]).toEqual([0, 2]);
});
