import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { type DynamicModule, Injectable } from "@nestjs/common";
import { DelayTaskApiModule } from "@tickwheel/api";
import { DelayTaskHandler, DelayTaskModule, defineTask } from "@tickwheel/nestjs";
import type { Problem, TaskBody } from "../support/api-client.js";
import { type HostedApi, hostApi } from "../support/app/hosted-api.js";
import { newTestKey } from "../support/cluster.js";
import { eventually } from "../support/eventually.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const KEY = newTestKey();
const RATE = { count: 100, perMs: 1_000, burst: 20 };
const Export = defineTask<{ to: string }>("export", { maxAttempts: 1 });
const Ping = defineTask<{ to: string }>("ping", { maxAttempts: 1 });

interface Limits {
  maxRunning: number | null;
  running: number | null;
  rate: typeof RATE | null;
  tokens: number | null;
}
interface TypeBody {
  type: string;
  settings: { concurrency: number | null; keepSucceeded: number | null };
  limits: Limits | null;
}
interface TypeChange {
  waitingFor: string[] | null;
  type: TypeBody;
}
interface NamespaceBody {
  namespace: string;
  limits: Limits | null;
  pause: object | null;
}
interface NamespaceChange {
  waitingFor: string[] | null;
  revision: string;
  namespace: NamespaceBody;
}

let postgres: TestPostgres;
let served: HostedApi;
/** How many exports run, and the most that have run at once. */
let running = 0;
let most = 0;
/** Ends an export that runs. */
const releases: (() => void)[] = [];

@Injectable()
class Handlers {
  @DelayTaskHandler(Export)
  async export(): Promise<void> {
    most = Math.max(most, ++running);
    await new Promise<void>((release) => releases.push(() => (running--, release())));
  }

  @DelayTaskHandler(Ping)
  ping(): void {}
}

beforeAll(async () => {
  postgres = await startTestPostgres();
  const url = await postgres.createDatabase("limits");
  const imports: DynamicModule[] = [
    DelayTaskApiModule.forRoot({ notice: false }),
    DelayTaskModule.forRoot({ url, heartbeat: "loop" }),
  ];
  served = await hostApi({ providers: [Handlers], imports }, KEY);
});
afterEach(async () => {
  const { tasks } = served;
  await tasks.namespace.update({ maxRunning: null, rate: null });
  for (const task of [Export, Ping])
    await tasks.types.update(task, { maxRunning: null, rate: null, concurrency: null, keepSucceeded: null });
  await eventually(async () => {
    for (const release of releases.splice(0)) release();
    const { counts } = await tasks.stats();
    expect([running, counts.scheduled, counts.running]).toEqual([0, 0, 0]);
  });
});
afterAll(async () => {
  for (const release of releases) release();
  await served?.app.close();
  await postgres?.stop();
});

async function startExports(count: number): Promise<string[]> {
  const many = Array.from({ length: count }, (_, index) => ({ task: Export, payload: { to: String(index) } }));
  const made = await served.tasks.scheduleMany(many);
  return made.map((one) => ("task" in one && one.task ? one.task.id : ""));
}

/** Ends the exports one after the other; so many run meanwhile as `atOnce` and what is left of them let. */
async function endAll(count: number, atOnce: number): Promise<void> {
  for (let left = count; left > 0; left--) {
    await eventually(() => expect(running).toBe(Math.min(atOnce, left)));
    releases.shift()!();
  }
}

describe("maxRunning of a type", () => {
  test("maxRunning of a type lets so many run at once and says why the others wait, until it is taken away", async () => {
    const { api } = served;
    const set = await api.patch<TypeChange>("/v1/types/export", { maxRunning: 2 });
    const limits = { maxRunning: 2, rate: null, tokens: null };
    expect(set).toMatchObject({ status: 200, body: { waitingFor: [], type: { type: "export", limits } } });
    most = 0;
    const ids = await startExports(5);
    await eventually(async () => {
      const { body } = await api.get<TypeBody>("/v1/types/export");
      expect(body.limits).toEqual({ ...limits, running: 2 });
      const { items } = (await api.get<{ items: object[] }>("/v1/types")).body;
      expect(items).toContainEqual(expect.objectContaining({ type: "export", waitsFor: "LIMIT", overdue: 3 }));
    });
    const limit = { of: "TYPE", maxRunning: 2, running: 2, rate: null };
    await eventually(async () => {
      const found = await Promise.all(ids.map((id) => api.get<TaskBody & { because: object }>(`/v1/tasks/${id}`)));
      const waiting = found.map(({ body }) => body).filter(({ state }) => state === "scheduled");
      expect(waiting).toHaveLength(3);
      expect(waiting[0]).toMatchObject({ waitingFor: "LIMIT", because: { code: "LIMITED", limit } });
    });
    await endAll(5, 2);
    expect(most).toBe(2);
    const away = await api.patch<TypeChange>("/v1/types/export", { maxRunning: null });
    expect(away).toMatchObject({ status: 200, body: { waitingFor: [], type: { limits: null } } });
  });
});

describe("limits of the namespace", () => {
  test("limits of the namespace hold for its types, and are told with its pause", async () => {
    const { api } = served;
    const set = await api.patch<NamespaceChange>("/v1/namespace", { maxRunning: 1 });
    expect(set.body).toMatchObject({ waitingFor: [], namespace: { limits: { maxRunning: 1 }, pause: null } });
    const [, waits] = await startExports(2);
    await eventually(async () => {
      const { body } = await api.get<NamespaceBody>("/v1/namespace");
      expect(body.limits).toEqual({ maxRunning: 1, running: 1, rate: null, tokens: null });
      expect((await api.get<TaskBody>("/v1/types/export")).body).toMatchObject({ limits: null });
      const { body: task } = await api.get(`/v1/tasks/${waits!}`);
      expect(task).toMatchObject({ because: { limit: { of: "NAMESPACE", maxRunning: 1 } } });
    });
    await endAll(2, 1);
  });

  test("limits of the namespace may be so few that two types share a place", async () => {
    await served.tasks.namespace.update({ maxRunning: 1 });
    await startExports(1);
    await eventually(() => expect(running).toBe(1));
    const { task } = await served.tasks.schedule(Ping, { to: "x" });
    await eventually(async () => {
      expect((await served.api.get(`/v1/tasks/${task.id}`)).body).toMatchObject({ waitingFor: "LIMIT" });
    });
    releases.shift()!();
    await eventually(async () => {
      expect((await served.api.get(`/v1/tasks/${task.id}`)).body).toMatchObject({ state: "succeeded" });
    });
  });
});

describe("a limit over each edge", () => {
  const told = { maxRunning: 5, rate: RATE };

  test("a limit over REST keeps what is not named, and a rate has a burst by itself", async () => {
    const { api } = served;
    await api.patch("/v1/types/ping", { concurrency: 3, keepSucceeded: "2h", maxRunning: 5 });
    const rate = { count: 100, per: "1s", burst: 20 };
    const set = await api.patch<TypeChange>("/v1/types/ping", { rate });
    expect(set.body.type).toMatchObject({ settings: { concurrency: 3, keepSucceeded: 7_200_000 }, limits: told });
    const usual = await api.patch<TypeChange>("/v1/types/ping", { rate: { count: 90, per: "1m" } });
    expect(usual.body.type.limits).toMatchObject({ maxRunning: 5, rate: { count: 90, perMs: 60_000, burst: 2 } });
    const away = await api.patch<TypeChange>("/v1/types/ping", { rate: null });
    expect(away.body.type.limits).toMatchObject({ maxRunning: 5, rate: null });
  });

  test("a limit is set and told over GraphQL", async () => {
    const { api } = served;
    const fields = "limits { maxRunning rate { count perMs burst } }";
    const input = `input: { maxRunning: 5, rate: { count: 100, per: "1s", burst: 20 } }`;
    const type = await api.graphql<{ updateType: TypeChange }>(
      `mutation { updateType(type: "ping", ${input}) { waitingFor type { ${fields} } } }`,
    );
    expect(type.data.updateType).toEqual({ waitingFor: [], type: { limits: told } });
    const all = await api.graphql<{ updateNamespace: NamespaceChange }>(
      `mutation { updateNamespace(${input}) { waitingFor namespace { namespace ${fields} pause { by } } } }`,
    );
    const namespace = { namespace: "default", limits: told, pause: null };
    expect(all.data.updateNamespace).toEqual({ waitingFor: [], namespace });
    const shown = await api.graphql<{ namespace: NamespaceBody }>(`{ namespace { namespace ${fields} pause { by } } }`);
    expect(shown.data).toEqual({ namespace });
    const away = await api.graphql<{ updateType: TypeChange }>(
      `mutation { updateType(type: "ping", input: { maxRunning: null, rate: null }) { type { ${fields} } } }`,
    );
    expect(away.data.updateType.type.limits).toBeNull();
  });

  test("a limit is set and told in code, where how full it is is told as well", async () => {
    const { tasks, api } = served;
    const given = { maxRunning: 5, rate: { count: 100, per: "1s", burst: 20 } } as const;
    expect(await tasks.types.update(Ping, given)).toEqual({ obeyed: true });
    expect(await tasks.namespace.update(given)).toEqual({ obeyed: true });
    const full = { ...told, running: 0, tokens: 20 };
    await eventually(async () => expect(await tasks.types.standing(Ping)).toMatchObject({ limits: full, pause: null }));
    await eventually(async () => expect(await tasks.namespace.standing()).toEqual({ limits: full, pause: null }));
    await tasks.types.pause(Ping, { reason: "a look" });
    const { pause } = await tasks.types.standing("ping");
    expect(pause).toMatchObject({ type: "ping", by: "application", reason: "a look", since: expect.any(Date) });
    await tasks.types.resume(Ping);
    expect((await api.get<NamespaceBody>("/v1/namespace")).body).toMatchObject({ namespace: "default", limits: full });
    await expect(tasks.types.standing("nobody.made")).rejects.toMatchObject({ code: "TYPE_NOT_FOUND" });
    await expect(tasks.namespace.update({ maxRunning: 0 })).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
  });
});

describe("bad input", () => {
  test.each<[object, string[]]>([
    [{ maxRunning: 0 }, ["maxRunning"]],
    [{ maxRunning: -1 }, ["maxRunning"]],
    [{ maxRunning: 1.5 }, ["maxRunning"]],
    [{ maxRunning: 1_001 }, ["maxRunning"]],
    [{ rate: { count: 1, per: 0 } }, ["rate.per"]],
    [{ rate: { count: 1, per: "2d" } }, ["rate.per"]],
    [{ rate: { count: 1, per: "1s", burst: 0 } }, ["rate.burst"]],
    [{ rate: { count: 1, per: "1d" } }, ["rate"]],
    [{ rate: "fast" }, ["rate"]],
    [
      { maxRunning: 0, rate: { count: 0, per: -1, burst: 0.5 } },
      ["maxRunning", "rate.count", "rate.per", "rate.burst"],
    ],
  ])("the bad limit %j is refused with every path, of a type and of the namespace", async (given, paths) => {
    for (const path of ["/v1/types/ping", "/v1/namespace"]) {
      const { status, body } = await served.api.patch<Problem>(path, given);
      const faults = [...new Set(body.errors.map((one) => one.path))];
      expect([status, body.code, faults]).toEqual([400, "VALIDATION_FAILED", paths]);
    }
  });

  test.each([{}, { concurrency: 5 }])("the input %j is bad for limits of the namespace", async (given) => {
    const { status, body } = await served.api.patch<Problem>("/v1/namespace", given);
    expect([status, body.code]).toEqual([400, "VALIDATION_FAILED"]);
  });

  test("a bad limit over GraphQL has the same paths", async () => {
    const { errors } = await served.api.graphql<object>(
      `mutation { updateNamespace(input: { maxRunning: 0, rate: { count: 1, per: "2d" } }) { revision } }`,
    );
    expect(JSON.stringify(errors)).toMatch(/"maxRunning".*"rate\.per"/);
  });
});
