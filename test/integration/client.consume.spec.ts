import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import {
  ClientError,
  type ConsumeOptions,
  NonRetryableError,
  type PullHandler,
  RetryLater,
  TickwheelClient,
} from "@tickwheel/client";
import { ApiApplication } from "../support/api-application.js";
import { eventually } from "../support/eventually.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

let postgres: TestPostgres;
let server: ApiApplication;
let client: TickwheelClient;
let key: string;
let types = 0;
let type: string;
beforeAll(async () => {
  postgres = await startTestPostgres();
  server = await ApiApplication.start("fastify", postgres.url);
  const admin = new TickwheelClient({ url: server.url, key: server.key });
  ({ key } = await admin.apiKeys.createApiKey({ name: "consumer", role: "admin", cluster: true }));
  client = new TickwheelClient({ url: server.url, key });
});
afterAll(async () => {
  await server?.stop();
  await postgres?.stop();
});
beforeEach(() => {
  type = `work-${++types}`;
});

const PULL = { deliver: { kind: "pull" } } as const;
const create = (more: object = {}, at = client) => at.tasks.create({ type, ...PULL, ...more });
const codeOf = (signal: AbortSignal): unknown => (signal.reason as ClientError).code;
const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));

/** A consumer, and how it is stopped. */
function consuming<Payload>(handler: PullHandler<Payload>, options: ConsumeOptions = {}, at = client) {
  const stop = new AbortController();
  const errors: ClientError[] = [];
  const onError = (error: unknown): void => void errors.push(error as ClientError);
  const ended = at.consume<Payload>(type, handler, { signal: stop.signal, onError, ...options });
  return { errors, ended, stop: async () => (stop.abort(), ended), leave: () => stop.abort() };
}

/** A client whose calls a test may keep from the server, or their answers from the client. */
function clientThat(meddle: (path: string, send: () => Promise<Response>) => Promise<Response>, at = server) {
  const fetched: typeof fetch = (url, init) => meddle((url as URL).pathname, () => fetch(url as URL, init));
  return new TickwheelClient({ url: at.url, key, fetch: fetched });
}

async function stateIs(id: string, state: string): Promise<void> {
  await eventually(async () => expect((await client.tasks.get(id)).state).toBe(state));
}

describe("consume", () => {
  test("consume runs as many tasks at once as it may, and each once", async () => {
    const made = await client.tasks.createMany({
      tasks: Array.from({ length: 12 }, (_, n) => ({ type, ...PULL, payload: { n } })),
    });
    expect(made.results).toHaveLength(12);
    const gates: (() => void)[] = [];
    const seen: number[] = [];
    let running = 0;
    let most = 0;
    const consumer = consuming<{ n: number }>(
      async ({ payload }) => {
        seen.push(payload.n);
        most = Math.max(most, ++running);
        await new Promise<void>((resolve) => gates.push(() => resolve(void running--)));
        return { square: payload.n ** 2 };
      },
      { concurrency: 3, consumer: "ts-1" },
    );
    for (let done = 0; done < 12; done++) {
      await eventually(async () => expect(running).toBe(Math.min(3, 12 - done)));
      if (done === 0)
        expect((await client.queues.consumers(type)).claims.map((claim) => claim.consumer)).toEqual(
          Array(3).fill("ts-1"),
        );
      gates.shift()!();
    }
    await eventually(async () =>
      expect((await client.tasks.find({ type: [type], state: ["succeeded"] })).items).toHaveLength(12),
    );
    await consumer.stop();
    expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, n) => n));
    expect([most, consumer.errors]).toEqual([3, []]);
    const { items } = await client.tasks.find({ type: [type] });
    const one = await client.tasks.get(items[0]!.id);
    expect(one.result).toEqual({ square: (one.payload as { n: number }).n ** 2 });
  });

  test("consume extends the lease of what runs", async () => {
    const { id } = await create();
    const consumer = consuming(
      async (_task, { attempt }) => {
        const leaseUntil = async (): Promise<number> =>
          Date.parse((await client.queues.consumers(type)).claims[0]!.leaseUntil);
        const first = await leaseUntil();
        await eventually(async () => expect(await leaseUntil()).toBeGreaterThan(first + 1_500));
        return attempt;
      },
      { leaseMs: 1_000 },
    );
    await stateIs(id, "succeeded");
    expect((await client.tasks.get(id)).result).toBe(1);
    await consumer.stop();
  });

  test("consume lets a handler ask for a longer lease, which is not made shorter again", async () => {
    const { id } = await create();
    const consumer = consuming(
      async (_task, { extend }) => {
        await extend(600_000);
        const { leaseUntil, claimedAt } = (await client.queues.consumers(type)).claims[0]!;
        return Date.parse(leaseUntil) - Date.parse(claimedAt) >= 600_000;
      },
      { leaseMs: 1_000 },
    );
    await stateIs(id, "succeeded");
    expect((await client.tasks.get(id)).result).toBe(true);
    await consumer.stop();
  });

  test("consume tells a handler to stop when its task is cancelled, and releases the task when the handler throws", async () => {
    const { id } = await create();
    const codes: unknown[] = [];
    const consumer = consuming(
      async (_task, { signal }) => {
        expect((await client.tasks.cancel(id)).outcome).toBe("cancel_requested");
        await aborted(signal);
        codes.push(codeOf(signal));
        signal.throwIfAborted();
      },
      { leaseMs: 1_000 },
    );
    await stateIs(id, "cancelled");
    await consumer.stop();
    expect(codes).toEqual(["CANCEL_REQUESTED"]);
  });

  test("consume counts what a handler answers although a cancel was asked for", async () => {
    const { id } = await create();
    const consumer = consuming(
      async (_task, { signal }) => {
        await client.tasks.cancel(id);
        await aborted(signal);
        return "done before";
      },
      { leaseMs: 2_000 },
    );
    await stateIs(id, "succeeded");
    await consumer.stop();
  });

  test("consume tells a handler to stop when its lease is lost, and sends nothing more", async () => {
    const { id } = await create();
    const sent: string[] = [];
    const watched = clientThat((path, send) => (sent.push(path.split("/").at(-1)!), send()));
    const codes: unknown[] = [];
    const consumer = consuming(
      async (_task, { signal, token }) => {
        await client.queues.fail(token, { error: "somebody else says so", retryable: false });
        await aborted(signal);
        codes.push(codeOf(signal));
      },
      { leaseMs: 1_000 },
      watched,
    );
    await eventually(async () => expect(codes).toEqual(["LEASE_LOST"]));
    await consumer.stop();
    expect(consumer.errors.map(({ code }) => code)).toEqual(["LEASE_LOST"]);
    expect(new Set(sent)).toEqual(new Set(["claims", "extend"]));
    expect((await client.tasks.get(id)).state).toBe("dead");
  });

  test("consume gives a lease up by its own clock when no extension gets through, and another consumer has the task", async () => {
    const { id } = await create();
    const deaf = clientThat((path, send) => (path.endsWith("/extend") ? Promise.reject(new Error("no way")) : send()));
    const codes: unknown[] = [];
    const first = consuming(
      async (_task, { signal }) => {
        await aborted(signal);
        codes.push(codeOf(signal));
        first.leave();
      },
      { leaseMs: 1_000 },
      deaf,
    );
    await first.ended;
    expect([codes, first.errors.map(({ code }) => code)]).toEqual([
      ["LEASE_LOST"],
      ["NO_ANSWER", "NO_ANSWER", "NO_ANSWER", "LEASE_LOST"],
    ]);
    const second = consuming((_task, { attempt }) => attempt);
    await stateIs(id, "succeeded");
    expect((await client.tasks.get(id)).result).toBe(2);
    await second.stop();
  });

  test("consume sends the end of a task again when its answer is lost", async () => {
    const { id } = await create();
    let isLost = true;
    const lossy = clientThat(async (path, send) => {
      const answer = await send();
      if (!path.endsWith("/complete") || !isLost) return answer;
      isLost = false;
      throw new Error("the connection broke");
    });
    const consumer = consuming(() => "once", {}, lossy);
    await stateIs(id, "succeeded");
    await consumer.stop();
    expect(consumer.errors.map(({ code }) => code)).toEqual(["NO_ANSWER"]);
  });

  test("consume tells failures: to be tried again, later or never", async () => {
    const thrown: Record<string, () => unknown> = {
      plain: () => new Error("no space left"),
      later: () => new RetryLater("1h", "closed for an hour"),
      never: () => new NonRetryableError("no such file"),
      odd: () => "\0just a text\uD800",
      wrong: () => new RetryLater("whenever"),
    };
    const ids = await Promise.all(
      Object.keys(thrown).map(
        async (how) => (await create({ payload: how, maxAttempts: 2, backoff: { kind: "fixed", delay: "2h" } })).id,
      ),
    );
    const consumer = consuming<string>(({ payload }) => {
      throw thrown[payload]!();
    });
    const shown = async () => Promise.all(ids.map((id) => client.tasks.get(id)));
    await eventually(async () => expect((await shown()).filter(({ lastError }) => lastError === null)).toEqual([]));
    await consumer.stop();
    const hours = (await shown()).map(({ state, dueAt, startedAt }) =>
      state === "dead" ? "dead" : Math.round((Date.parse(dueAt) - Date.parse(startedAt!)) / 3_600_000),
    );
    expect(hours).toEqual([2, 1, "dead", 2, 2]);
    expect((await shown()).map(({ lastError }) => lastError)).toEqual([
      expect.stringContaining("no space left"),
      expect.stringContaining("closed for an hour"),
      expect.stringContaining("no such file"),
      expect.stringContaining("just a text"),
      expect.stringContaining("it is to be tried again later"),
    ]);
  });

  test.each([
    ["too long for the server", (): unknown => "x".repeat(70_000)],
    ["no JSON", (): unknown => 1n],
  ])("consume fails a task for good whose result is %s", async (_what, result) => {
    const { id } = await create();
    const consumer = consuming(result);
    await stateIs(id, "dead");
    expect((await client.tasks.get(id)).lastError).toContain("its result was not taken");
    await consumer.stop();
  });

  test("consume waits for what runs when it is stopped, and gives back what does not end", async () => {
    const short = await create({ payload: "short" });
    const long = await create({ payload: "long" });
    const codes: unknown[] = [];
    let running = 0;
    let end = (): void => {};
    const consumer = consuming<string>(
      async ({ payload }, { signal }) => {
        running++;
        if (payload === "short") return new Promise<void>((resolve) => (end = resolve));
        await aborted(signal);
        codes.push(codeOf(signal));
        return "too late";
      },
      { drainMs: 500 },
    );
    await eventually(async () => expect(running).toBe(2));
    consumer.leave();
    end();
    await consumer.ended;
    expect(codes).toEqual(["DRAINED"]);
    expect((await client.tasks.get(short.id)).state).toBe("succeeded");
    expect(await client.tasks.get(long.id)).toMatchObject({ state: "scheduled", attempt: 0 });
    expect(await client.queues.consumers(type)).toMatchObject({ claims: [] });
  });

  test("consume stops at once while its poll waits", async () => {
    await create({ delay: "1h" });
    const consumer = consuming(() => null, { waitMs: 60_000 });
    await eventually(async () => expect((await client.queues.consumers(type)).waitingHere).toBe(1));
    await consumer.stop();
    await eventually(async () => expect((await client.queues.consumers(type)).waitingHere).toBe(0));
  });

  test("consume waits for a type that no task has made yet, and says so once", async () => {
    const consumer = consuming(() => "made", { waitMs: 1_000 });
    await eventually(async () => expect(consumer.errors.map(({ code }) => code)).toEqual(["TYPE_NOT_FOUND"]));
    const { id } = await create();
    await stateIs(id, "succeeded");
    await consumer.stop();
    expect(consumer.errors).toHaveLength(1);
  });

  test("consume ends when the server refuses it for good", async () => {
    await create();
    const stranger = new TickwheelClient({ url: server.url, key: "nobody" });
    const viewer = await client.apiKeys.createApiKey({ name: `viewer-${type}`, role: "viewer" });
    const reader = new TickwheelClient({ url: server.url, key: viewer.key });
    await expect(stranger.consume(type, () => null)).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
    await expect(reader.consume(type, () => null)).rejects.toMatchObject({ code: "FORBIDDEN" });
    await client.tasks.create({ type: "test.echo" });
    await expect(client.consume("test.echo", () => null)).rejects.toMatchObject({ code: "TYPE_DELIVERY_CONFLICT" });
    await expect(client.consume(type, () => null, { waitMs: -1 })).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
    await expect(async () => client.consume(type, () => null, { concurrency: 0 })).rejects.toThrow(RangeError);
  });

  test("consume works on a thousand tasks by two consumers, each task ended once, although a node stops in the middle", async () => {
    const doomed = await ApiApplication.start("express", postgres.url);
    const other = new TickwheelClient({ url: doomed.url, key });
    const tasks = Array.from({ length: 1_000 }, (_, n) => ({ type, ...PULL, payload: n, maxAttempts: 10 }));
    await client.tasks.createMany({ tasks });
    const runs = new Map<number, number>();
    let half = (): void => {};
    const halved = new Promise<void>((resolve) => (half = resolve));
    const handler = ({ payload }: { payload: number }): number => {
      runs.set(payload, (runs.get(payload) ?? 0) + 1);
      if (runs.size === 500) half();
      return payload;
    };
    const consumers = [client, other].map((at) => consuming<number>(handler, { leaseMs: 1_000, concurrency: 20 }, at));
    await halved;
    await doomed.stop();
    const left = async (): Promise<number> =>
      (await client.tasks.find({ type: [type], state: ["scheduled", "running"], limit: 1 })).items.length;
    await eventually(async () => expect(await left()).toBe(0));
    await Promise.all(consumers.map(({ stop }) => stop()));
    expect(runs.size).toBe(1_000);
    const again = [...runs.values()].filter((count) => count > 1).length;
    expect(again).toBeLessThanOrEqual(20);
    const stats = await client.cluster.types();
    expect(stats.items.find((one) => one.type === type)).toBeDefined();
    const dead = await client.tasks.find({ type: [type], state: ["dead", "cancelled"] });
    expect(dead.items).toEqual([]);
  });
});
