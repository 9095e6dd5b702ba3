import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { type DynamicModule, Injectable } from "@nestjs/common";
import { DelayTaskApiModule } from "@tickwheel/api";
import { DelayTaskHandler, DelayTaskModule, defineTask } from "@tickwheel/nestjs";
import type { TaskBody } from "../support/api-client.js";
import { type HostedApi, hostApi } from "../support/app/hosted-api.js";
import { newTestKey } from "../support/cluster.js";
import { eventually } from "../support/eventually.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const KEY = newTestKey();
const Mail = defineTask<{ to: string }>("mail", { maxAttempts: 50, backoff: { kind: "fixed", delay: "100ms" } });

interface Breaker {
  state: "OPEN" | "HALF_OPEN";
  since: string;
  until: string;
  failedTrials: number;
  node: string | null;
}
interface TypeBody {
  type: string;
  breaker: Breaker | null;
}

let postgres: TestPostgres;
let served: HostedApi;
/** Whether what the handler calls works. */
let isWell = true;
/** How the host of webhooks answers, and when it was called. */
let answer: [status: number, retryAfter?: string] = [200];
const calledAtMs: number[] = [];
let host: Server;
let webhook: string;

@Injectable()
class Handlers {
  @DelayTaskHandler(Mail, { concurrency: 2, breaker: { leastAttempts: 3, openFor: "10m" } })
  mail(): void {
    if (!isWell) throw new Error("the provider is down");
  }
}

beforeAll(async () => {
  host = createServer((_request, response) => {
    calledAtMs.push(Date.now());
    const [status, retryAfter] = answer;
    response.writeHead(status, retryAfter === undefined ? {} : { "retry-after": retryAfter }).end();
  });
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  const address = `127.0.0.1:${(host.address() as AddressInfo).port}`;
  webhook = `http://${address}/hook`;
  postgres = await startTestPostgres();
  const url = await postgres.createDatabase("breakers");
  const imports: DynamicModule[] = [
    DelayTaskApiModule.forRoot({ notice: false }),
    DelayTaskModule.forRoot({ url, heartbeat: "loop", webhookAllowedHosts: [address] }),
  ];
  served = await hostApi({ providers: [Handlers], imports }, KEY);
});
afterEach(async () => {
  [isWell, answer] = [true, [200]];
  await served.tasks.types.closeBreaker(Mail);
  await eventually(async () => {
    const { counts } = await served.tasks.stats();
    expect([counts.scheduled, counts.running]).toEqual([0, 0]);
  });
});
afterAll(async () => {
  await served?.app.close();
  await new Promise((resolve) => host.close(resolve));
  await postgres?.stop();
});

const breakerOf = async (): Promise<Breaker | null> => (await served.api.get<TypeBody>("/v1/types/mail")).body.breaker;

/** Tasks of a type whose attempts fail, until its breaker is open: their ids. */
async function failing(): Promise<string[]> {
  isWell = false;
  const many = Array.from({ length: 8 }, (_, index) => ({ task: Mail, payload: { to: String(index) } }));
  const made = await served.tasks.scheduleMany(many);
  await eventually(async () => expect(await breakerOf()).not.toBeNull());
  return made.map((one) => ("task" in one && one.task ? one.task.id : ""));
}

describe("the breaker of a type", () => {
  test("the breaker of a type opens when its attempts fail: what waits says so, and no attempt is used up", async () => {
    const { api, tasks } = served;
    const ids = await failing();
    const breaker = (await breakerOf())!;
    expect(breaker).toMatchObject({ state: "OPEN", failedTrials: 0, node: null });
    expect(Date.parse(breaker.until) - Date.parse(breaker.since)).toBe(600_000);
    const { failedTrials, state, since, until } = breaker;
    await eventually(async () => {
      const found = await Promise.all(ids.map((id) => api.get<TaskBody & { because: object }>(`/v1/tasks/${id}`)));
      const waiting = found.map(({ body }) => body).filter(({ waitingFor }) => waitingFor === "BREAKER");
      expect(waiting).toHaveLength(8);
      expect(waiting[0]).toMatchObject({
        because: { code: "BREAKER", breaker: { failedTrials, state, since, until } },
      });
    });
    const attempts = await Promise.all(
      ids.map(async (id) => (await api.get<TaskBody>(`/v1/tasks/${id}`)).body.attempt),
    );
    const { items } = (await api.get<{ items: object[] }>("/v1/types")).body;
    expect(items).toContainEqual(expect.objectContaining({ type: "mail", waitsFor: "BREAKER", breaker }));
    const codes = async (): Promise<string[]> =>
      (await api.get<{ now: { code: string }[] }>("/v1/findings")).body.now.map(({ code }) => code);
    await eventually(async () => expect(await codes()).toContain("BREAKER_OPEN"));
    const later = await Promise.all(ids.map(async (id) => (await api.get<TaskBody>(`/v1/tasks/${id}`)).body.attempt));
    expect(later).toEqual(attempts);
    expect(await tasks.types.standing(Mail)).toMatchObject({ breaker: { state: "OPEN", since: new Date(since) } });
  });

  test("the breaker of a type is closed by hand over each edge, and what waited starts", async () => {
    const { api, tasks } = served;
    const closings = [
      async () =>
        expect(await api.post("/v1/types/mail/breaker/close", {})).toMatchObject({
          status: 200,
          body: { type: "mail", breaker: null },
        }),
      async () => {
        const closed = await api.graphql<{ closeBreaker: TypeBody }>(
          'mutation { closeBreaker(type: "mail") { type breaker { state } } }',
        );
        expect(closed.data.closeBreaker).toEqual({ type: "mail", breaker: null });
      },
      async () => tasks.types.closeBreaker(Mail),
    ];
    for (const close of closings) {
      const ids = await failing();
      isWell = true;
      await close();
      await eventually(async () => {
        const found = await Promise.all(ids.map((id) => api.get<TaskBody>(`/v1/tasks/${id}`)));
        expect(found.map(({ body }) => body.state)).toEqual(ids.map(() => "succeeded"));
      });
    }
    const { body } = await api.get<{ items: { kind: string; facts: object }[] }>(
      "/v1/cluster/events?kind=BREAKER_OPENED,BREAKER_CLOSED",
    );
    const told = body.items.map(({ kind }) => kind);
    expect([told[0], told[1], told.length >= 6]).toEqual(["BREAKER_CLOSED", "BREAKER_OPENED", true]);
    expect(body.items[0]!.facts).toMatchObject({ type: "mail", actor: "application" });
  });

  test("the breaker of a type that does not exist is not found; one that is closed stays so", async () => {
    const { api } = served;
    expect(await api.post("/v1/types/nothing/breaker/close", {})).toMatchObject({
      status: 404,
      body: { code: "TYPE_NOT_FOUND" },
    });
    expect(await api.post("/v1/types/mail/breaker/close", {})).toMatchObject({ status: 200, body: { breaker: null } });
  });
});

describe("a host that answers 429 with Retry-After", () => {
  test("a host that answers 429 with Retry-After is left alone until then, for all its tasks; no attempt is used up", async () => {
    const { api } = served;
    answer = [429, "2"];
    calledAtMs.length = 0;
    const task = { type: "hook", deliver: { kind: "webhook", url: webhook }, payload: {}, delay: 0, maxAttempts: 1 };
    const first = await api.post<TaskBody>("/v1/tasks", task);
    await eventually(async () => {
      const { body } = await api.get<TaskBody>(`/v1/tasks/${first.body.id}`);
      const because = { code: "PUT_OFF", snoozes: 1 };
      expect(body).toMatchObject({ state: "scheduled", attempt: 0, lastError: null, because });
    });
    const restEndsAtMs = calledAtMs[0]! + 2_000;
    answer = [200];
    const others = await Promise.all([1, 2, 3].map(() => api.post<TaskBody>("/v1/tasks", task)));
    const ids = [first, ...others].map(({ body }) => body.id);
    await eventually(async () => {
      const found = await Promise.all(ids.map((id) => api.get<TaskBody>(`/v1/tasks/${id}`)));
      expect(found.map(({ body }) => [body.state, body.attempt])).toEqual(ids.map(() => ["succeeded", 1]));
    });
    expect(calledAtMs).toHaveLength(5);
    expect(Math.min(...calledAtMs.slice(1))).toBeGreaterThanOrEqual(restEndsAtMs);
  });
});
