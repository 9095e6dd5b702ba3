import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { ApiApplication, recordedPayloads } from "../support/api-application.js";
import { depth } from "../support/depth.js";
import { eventually } from "../support/eventually.js";
import { jsonTexts } from "../support/json-texts.js";
import { WebhookReceiver } from "../support/webhook-receiver.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const BULK = 900;
const CALLERS = 32;
/** The seed, to repeat a failure. */
const seed = Math.floor(Math.random() * 2 ** 31);

let postgres: TestPostgres;
let receiver: WebhookReceiver;

beforeAll(async () => {
  postgres = await startTestPostgres();
  receiver = await WebhookReceiver.start();
});
afterAll(async () => {
  await receiver?.stop();
  await postgres?.stop();
});

const SCHEDULE = "mutation ($input: TaskInput!) { scheduleTask(input: $input) { task { id payload } } }";

describe.each([
  ["fastify", depth({ sample: 3_000, whole: 20_000 }), 300],
  ["express", depth({ sample: 600, whole: 1_000 }), 100],
] as const)("on %s", (platform, count, alone) => {
  let app: ApiApplication;
  const texts = fc.sample(jsonTexts, { numRuns: count, seed });
  const ids: string[] = [];

  beforeAll(async () => {
    app = await ApiApplication.start(platform, await postgres.createDatabase(`round_trip_${platform}`), {
      webhookAllowedHosts: [receiver.host],
    });
  });
  afterAll(() => app.stop());

  const call = async (path: string, body?: string, method = body === undefined ? "GET" : "POST"): Promise<string> => {
    const headers = { authorization: `Bearer ${app.key}` };
    const sent =
      body === undefined ? { headers } : { body, headers: { ...headers, "content-type": "application/json" } };
    const response = await fetch(new URL(path, app.url), { ...sent, method });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)} (seed ${seed})`);
    return text;
  };
  const taskOf = (payload: string): string => `{"type":"test.record", "payload" : ${payload} }`;
  /** Whether an answer is JSON and holds this text as a payload, followed by what ends a field. */
  const holds = (answer: string, payload: string): boolean => {
    JSON.parse(answer);
    const at = answer.indexOf(`"payload":${payload}`);
    return at >= 0 && /[,}]/.test(answer[at + 10 + payload.length]!);
  };
  const wrong = (found: readonly boolean[]): { seed: number; texts: string[] } => ({
    seed,
    texts: texts.filter((_text, index) => found[index] === false).slice(0, 3),
  });
  const each = async <T>(count_: number, work: (index: number) => Promise<T>): Promise<T[]> => {
    const results: T[] = [];
    let next = 0;
    const caller = async (): Promise<void> => {
      for (let index = next++; index < count_; index = next++) results[index] = await work(index);
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
    return results;
  };

  test("payloads are created one by one and in bulk, and the answers hold their texts", async () => {
    const singles = await each(alone, (index) => call("/v1/tasks", taskOf(texts[index]!)));
    ids.push(...singles.map((answer) => (JSON.parse(answer) as { id: string }).id));
    expect(wrong(singles.map((answer, index) => holds(answer, texts[index]!)))).toEqual({ seed, texts: [] });
    for (let from = alone; from < count; from += BULK) {
      const some = texts.slice(from, from + BULK);
      const answer = await call("/v1/tasks/bulk", `{"tasks":[${some.map(taskOf).join(", \n")}]}`);
      const { results } = JSON.parse(answer) as { results: { status: string; task?: { id: string } }[] };
      expect(results.filter(({ status }) => status !== "created")).toEqual([]);
      ids.push(...results.map(({ task }) => task!.id));
      expect(some.filter((text) => !answer.includes(`"payload":${text}`))).toEqual([]);
    }
    expect(new Set(ids).size).toBe(count);
  });

  test("payloads come back over REST character by character, digits and all", async () => {
    const found = await each(count, async (index) => holds(await call(`/v1/tasks/${ids[index]}`), texts[index]!));
    expect(wrong(found)).toEqual({ seed, texts: [] });
    const page = await call("/v1/tasks?limit=200");
    const byId = new Map(ids.map((id, index) => [id, texts[index]!]));
    const shown = (JSON.parse(page) as { items: { id: string }[] }).items.map(({ id }) => byId.get(id)!);
    expect(shown.filter((text) => !page.includes(`"payload":${text}`))).toEqual([]);
  });

  test("handlers get the values of their payloads' texts", async () => {
    await eventually(() => expect(ids.filter((id) => !recordedPayloads.has(id))).toHaveLength(0));
    const found = ids.map((id, index) => isDeepStrictEqual(recordedPayloads.get(id), JSON.parse(texts[index]!)));
    expect(wrong(found)).toEqual({ seed, texts: [] });
  });

  test("an edit gives a task another payload text", async () => {
    const task = JSON.parse(await call("/v1/tasks", '{"type":"test.record","delay":"1h","payload":1}')) as {
      id: string;
    };
    const found = await each(50, async (index) => {
      const own = JSON.parse(await call("/v1/tasks", `{"type":"test.record","delay":"1h"}`)) as { id: string };
      const answer = await call(`/v1/tasks/${own.id}`, `{"payload":${texts[index]!}}`, "PATCH");
      return holds(answer, texts[index]!) && holds(await call(`/v1/tasks/${own.id}`), texts[index]!);
    });
    expect(wrong(found)).toEqual({ seed, texts: [] });
    expect(holds(await call(`/v1/tasks/${task.id}`, undefined, "DELETE"), "1")).toBe(true);
  });

  test("payloads come and go by GraphQL character by character, as variables of every kind", async () => {
    const found = await each(200, async (index) => {
      const text = texts[index]!;
      const [query, variables] = [
        [SCHEDULE, `{"input":{"type":"test.record","delay":"1h","payload":${text}}}`],
        [
          `mutation ($p: JSON) { scheduleTask(input: {type: "test.record", delay: "1h", payload: $p}) { task { id payload } } }`,
          `{ "p" : ${text} }`,
        ],
        [
          `mutation ($all: [TaskInput!]!) { scheduleTasks(inputs: $all) { task { id payload } } }`,
          `{"all":[{"type":"test.record","delay":"1h","payload":${text}}]}`,
        ],
      ][index % 3]!;
      const answer = await call("/graphql", `{"variables":${variables!},"query":${JSON.stringify(query)}}`);
      const [, id] = /"id":"([0-9a-f-]+)"/.exec(answer) ?? [];
      return holds(answer, text) && holds(await call(`/v1/tasks/${id}`), text);
    });
    expect(wrong(found)).toEqual({ seed, texts: [] });
  });

  test("literals of GraphQL, and variables in them, keep their digits", async () => {
    const query = `mutation ($x: JSON, $n: Int) { scheduleTask(input: { type: "test.record", delay: "1h",
      payload: { __proto__: [12345678901234567890, -0, 1e400, 1.0, "a\\"\\u00e9", true, null, RED], x: $x, n: $n } }) { task { payload } } }`;
    const body = `{"query":${JSON.stringify(query)},"variables":{"x":{"y":0.10},"n":7}}`;
    const payload = '{"__proto__":[12345678901234567890,-0,1e400,1.0,"a\\"é",true,null,"RED"],"x":{"y":0.10},"n":7}';
    expect(await call("/graphql", body)).toBe(`{"data":{"scheduleTask":{"task":{"payload":${payload}}}}}`);
  });

  test("the result of a webhook keeps its digits, alone, in a list and over GraphQL", async () => {
    const result = '{"id":12345678901234567890,"price":1.10,"far":1e400}';
    receiver.body = result;
    const deliver = JSON.stringify({ kind: "webhook", url: receiver.urlOf("/") });
    const made = await call("/v1/tasks", `{"type":"test.hook","deliver":${deliver}}`);
    const { id } = JSON.parse(made) as { id: string };
    const path = `/v1/tasks/${id}`;
    await eventually(async () => expect(await call(path)).toContain('"state":"succeeded"'));
    for (const answer of [await call(path), await call("/v1/tasks?type=test.hook")])
      expect(answer).toContain(`"result":${result}}`);
    const query = JSON.stringify({ query: `{ task(id: "${id}") { result } }` });
    expect(await call("/graphql", query)).toBe(`{"data":{"task":{"result":${result}}}}`);
  });

  test("an idempotency key with an equivalent body gets the same answer; a different digit makes a different body", async () => {
    const create = (payload: string): Promise<string> =>
      call("/v1/tasks", `{"type":"test.record","delay":"1h","idempotencyKey":"k","payload":${payload}}`);
    const first = JSON.parse(await create('{"a":1,"b":12345678901234567890}')) as { id: string };
    const again = JSON.parse(await create(' {"b":12345678901234567890, "a":1.0}')) as { id: string };
    expect(again.id).toBe(first.id);
    await expect(create('{"a":1,"b":12345678901234567891}')).rejects.toThrow("422");
  });
});
