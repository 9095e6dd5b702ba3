import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { ApiApplication } from "../support/api-application.js";
import { ApiClient, type Answer, type Problem, type TaskBody } from "../support/api-client.js";
import { eventually } from "../support/eventually.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

interface ClaimBody {
  token: string;
  leaseUntil: string;
  task: { id: string; type: string; key: string | null; payload: unknown; attempt: number; fence: number };
}
interface ClaimsBody {
  claims: ClaimBody[];
  paused?: true;
}
interface EndBody {
  state: string;
  dueAt: string | null;
}

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres?.stop());

describe.each(["fastify", "express"] as const)("a queue over %s", (platform) => {
  let creator: ApiApplication;
  let server: ApiApplication;
  let types = 0;
  let type: string;

  beforeAll(async () => {
    const url = await postgres.createDatabase(`queues_${platform}`);
    creator = await ApiApplication.start(platform, url);
    server = await ApiApplication.start(platform, url);
    creator = Object.assign(creator, { admin: new ApiClient(creator.url, server.key) });
  });
  afterAll(async () => {
    await creator?.stop();
    await server?.stop();
  });
  beforeEach(() => {
    type = `image.resize-${++types}`;
  });

  /** On the node that serves the consumers, unless it is said otherwise: it knows a new type at once. */
  const schedule = (more: object = {}, { admin } = server): Promise<TaskBody> =>
    admin.schedule({ type, deliver: { kind: "pull" }, payload: { n: 1 }, ...more });
  const claim = (input: object = {}, client = server.admin): Promise<Answer<ClaimsBody>> =>
    client.post<ClaimsBody>(`/v1/queues/${type}/claims`, input);
  const claimOne = async (input: object = {}): Promise<ClaimBody> => {
    const { body } = await claim({ waitMs: 20_000, ...input });
    expect(body).toEqual({ claims: [expect.anything()] });
    return body.claims[0]!;
  };
  const endBy = <Body = EndBody>(client: ApiClient, token: string, verb: string): Promise<Answer<Body>> =>
    client.post<Body>(`/v1/claims/${token}/${verb}`, {});
  const end = <Body = EndBody>(token: string, verb: string, body: object = {}): Promise<Answer<Body>> =>
    creator.admin.post<Body>(`/v1/claims/${token}/${verb}`, body);
  const stateOf = async ({ task: { id } }: ClaimBody): Promise<TaskBody> =>
    (await creator.admin.get<TaskBody>(`/v1/tasks/${id}`)).body;
  const keyOf = async (input: object): Promise<ApiClient> => {
    const made = await server.admin.post<{ key: string }>("/v1/api-keys", input);
    expect(made.status).toBe(201);
    return new ApiClient(server.url, made.body.key);
  };

  test("a queue hands a task to a consumer on another node, which completes it by a third call", async () => {
    const { id } = await schedule({ key: "7", payload: { width: 1e21 } }, creator);
    const claimed = await claim({ consumer: "py-7", leaseMs: 5_000 });
    expect(claimed.status).toBe(200);
    const [one] = claimed.body.claims;
    expect(one).toMatchObject({ task: { id, type, key: "7", payload: { width: 1e21 }, attempt: 1, fence: 1 } });
    expect(one!.token).toMatch(/^[A-Za-z0-9_-]{64}$/);
    const running = await stateOf(one!);
    expect([running.state, running.node]).toEqual(["running", "consumer"]);
    const report = await creator.admin.get(`/v1/types/${type}/consumers`);
    expect(report.body).toMatchObject({ claims: [{ taskId: id, consumer: "py-7" }], waitingHere: 0 });
    const done = await end(one!.token, "complete", { result: { width: 640 } });
    expect([done.status, done.body]).toEqual([200, { state: "succeeded", dueAt: null }]);
    expect(await stateOf(one!)).toMatchObject({ state: "succeeded", result: { width: 640 }, attempt: 1 });
  });

  test("a call to a queue that waits gets a task that another node makes meanwhile, and one that becomes due meanwhile", async () => {
    await schedule({ delay: "1h" }, creator);
    const polls = [claimOne(), claimOne()];
    await eventually(async () => {
      const { body } = await server.admin.get<{ waitingHere: number }>(`/v1/types/${type}/consumers`);
      expect(body.waitingHere).toBe(2);
    });
    const made = [await schedule({}, creator), await schedule({ delay: 300 }, creator)];
    const claims = await Promise.all(polls);
    expect(claims.map(({ task }) => task.id).sort()).toEqual(made.map(({ id }) => id).sort());
  });

  test("a call to a queue without a wait answers at once, and one whose time is over has no task", async () => {
    await schedule({ delay: "1h" });
    expect((await claim()).body).toEqual({ claims: [] });
    expect((await claim({ waitMs: 50 })).body).toEqual({ claims: [] });
  });

  test("many tasks of a queue go to many calls, each once, up to what each call asks for", async () => {
    await schedule({ delay: "1h" });
    const polls = Array.from({ length: 6 }, () => claim({ max: 4, waitMs: 20_000 }));
    await creator.admin.scheduleMany(Array.from({ length: 40 }, () => ({ type })));
    const answers = (await Promise.all(polls)).map(({ body }) => body.claims);
    expect(answers.every(({ length }) => length >= 1 && length <= 4)).toBe(true);
    const rest: ClaimBody[] = [];
    while (rest.length + answers.flat().length < 40)
      rest.push(...(await claim({ max: 100, waitMs: 5_000 })).body.claims);
    expect(new Set([...answers.flat(), ...rest].map(({ task }) => task.id)).size).toBe(40);
  });

  test("a task of a type that is paused is not handed out until it is resumed", async () => {
    await schedule();
    await creator.admin.post(`/v1/types/${type}/pause`, {});
    expect((await claim({ waitMs: 50 })).body).toEqual({ claims: [], paused: true });
    const poll = claimOne();
    await creator.admin.post(`/v1/types/${type}/resume`);
    expect((await poll).task.attempt).toBe(1);
  });

  test("a failed attempt is tried again after its backoff, and the last one leaves the task dead", async () => {
    await schedule({ maxAttempts: 2, backoff: { kind: "fixed", delay: "1ms" } });
    const first = await claimOne();
    const failed = await end(first.token, "fail", { error: "Error: no space left", retryAfter: 1 });
    expect([failed.status, failed.body]).toEqual([200, { state: "scheduled", dueAt: expect.any(String) }]);
    const second = await claimOne();
    expect([second.task.id, second.task.attempt]).toEqual([first.task.id, 2]);
    expect((await end(second.token, "fail", { error: "Error: no space left" })).body).toEqual({
      state: "dead",
      dueAt: null,
    });
    expect(await stateOf(first)).toMatchObject({
      state: "dead",
      reason: "ATTEMPTS",
      lastError: "Error: no space left",
    });
    const late = await end<Problem>(first.token, "complete");
    expect([late.status, late.body.code]).toEqual([409, "LEASE_LOST"]);
  });

  test("an attempt that says it is of no use leaves the task dead", async () => {
    await schedule();
    const { token } = await claimOne();
    const failed = await end(token, "fail", { error: "no such image", retryable: false });
    expect(failed.body).toEqual({ state: "dead", dueAt: null });
  });

  test("a released task is there at once, and its attempt does not count", async () => {
    await schedule();
    const first = await claimOne();
    expect((await end(first.token, "release")).body).toMatchObject({ state: "scheduled" });
    const second = await claimOne();
    expect([second.task.id, second.task.attempt]).toEqual([first.task.id, 1]);
  });

  test("the same completion again answers the same, and says so; another one of that task is refused", async () => {
    await schedule();
    const { token, task } = await claimOne();
    const told = [await end(token, "complete", { result: 1 }), await end(token, "complete", { result: 2 })];
    expect(told.map(({ status, body }) => [status, body])).toEqual([
      [200, { state: "succeeded", dueAt: null }],
      [200, { state: "succeeded", dueAt: null }],
    ]);
    expect(told.map(({ headers }) => headers.get("tickwheel-replayed"))).toEqual([null, "true"]);
    expect((await creator.admin.get<TaskBody>(`/v1/tasks/${task.id}`)).body.result).toBe(1);
    expect((await end<Problem>(token, "fail", { error: "x" })).body.code).toBe("LEASE_LOST");
    expect((await end<Problem>(token, "release")).body.code).toBe("LEASE_LOST");
    expect((await end<Problem>(token, "extend", { leaseMs: 1_000 })).body.code).toBe("LEASE_LOST");
  });

  test("a lease that ends gives the task to the next consumer, and the first one's word does not count", async () => {
    await schedule();
    const first = await claimOne({ leaseMs: 1_000, consumer: "slow" });
    const second = await claimOne();
    expect([second.task.id, second.task.attempt, second.task.fence]).toEqual([first.task.id, 2, 3]);
    expect((await end<Problem>(first.token, "complete")).body.code).toBe("LEASE_LOST");
    expect((await end(second.token, "complete")).body.state).toBe("succeeded");
    const { body } = await creator.admin.get<{ items: object[] }>(`/v1/tasks/${first.task.id}/journal`);
    expect(body.items).toContainEqual(
      expect.objectContaining({
        reason: "LEASE_ENDED",
        error: "the lease of its consumer ended: slow",
        node: "consumer",
      }),
    );
  });

  test("an extended lease lasts; once a cancel was asked for it is not extended, and a release ends the task cancelled", async () => {
    await schedule();
    const { token, leaseUntil, task } = await claimOne({ leaseMs: 1_000 });
    const extended = await end<{ leaseUntil: string }>(token, "extend", { leaseMs: 600_000 });
    expect(Date.parse(extended.body.leaseUntil)).toBeGreaterThan(Date.parse(leaseUntil) + 500_000);
    const cancelled = await creator.admin.delete<{ outcome: string }>(`/v1/tasks/${task.id}`);
    expect(cancelled.body.outcome).toBe("cancel_requested");
    const refused = await end<Problem>(token, "extend", { leaseMs: 1_000 });
    expect([refused.status, refused.body.code]).toEqual([409, "CANCEL_REQUESTED"]);
    expect((await end(token, "release")).body).toEqual({ state: "cancelled", dueAt: null });
  });

  test("a completion counts although a cancel was asked for", async () => {
    await schedule();
    const { token, task } = await claimOne();
    await creator.admin.delete(`/v1/tasks/${task.id}`);
    expect((await end(token, "complete")).body.state).toBe("succeeded");
  });

  test("a caller that goes while it waits leaves its task to others, with nothing charged", async () => {
    await schedule({ delay: "1h" });
    const leaving = new AbortController();
    const gone = fetch(`${server.url}/v1/queues/${type}/claims`, {
      method: "POST",
      headers: { authorization: `Bearer ${server.key}`, "content-type": "application/json" },
      body: JSON.stringify({ waitMs: 60_000 }),
      signal: leaving.signal,
    }).catch(() => null);
    const waiting = async (): Promise<number> =>
      (await server.admin.get<{ waitingHere: number }>(`/v1/types/${type}/consumers`)).body.waitingHere;
    await eventually(async () => expect(await waiting()).toBe(1));
    leaving.abort();
    await gone;
    await eventually(async () => expect(await waiting()).toBe(0));
    const { id } = await schedule();
    const { task } = await claimOne();
    expect([task.id, task.attempt]).toEqual([id, 1]);
  });

  test("a token that is made up, cut, changed or of another namespace names no claim", async () => {
    await schedule();
    const { token } = await claimOne();
    const foreign = await server.clientAs({ role: "operator", namespace: "other" });
    const changed = `${token.slice(0, 63)}${token.endsWith("A") ? "B" : "A"}`;
    const asked = [
      ...["x", "A".repeat(64), token.slice(0, 63), changed].map((name) => end<Problem>(name, "complete")),
      endBy<Problem>(foreign, token, "complete"),
    ];
    for (const { status, body } of await Promise.all(asked))
      expect([status, body.code]).toEqual([404, "CLAIM_NOT_FOUND"]);
    expect((await end(token, "complete")).status).toBe(200);
  });

  test("a token of the secret before the newest one is good, and so is one of the newest, on every node", async () => {
    await schedule();
    await schedule();
    const old = await claimOne();
    const rotated = await server.admin.post<{ id: number }>("/v1/claims/secret/rotate");
    expect([rotated.status, rotated.body.id]).toEqual([200, expect.any(Number)]);
    const other = await claimOne();
    expect((await end(old.token, "complete")).status).toBe(200);
    expect((await end(other.token, "complete")).status).toBe(200);
  });

  test("a worker consumes the types that it names and nothing else; a viewer does not", async () => {
    await schedule();
    const worker = await keyOf({ name: `worker-${type}`, role: "worker", types: ["image.*"] });
    const other = await keyOf({ name: `other-${type}`, role: "worker", types: ["mail.*"] });
    const viewer = await keyOf({ name: `viewer-${type}`, role: "viewer" });
    for (const client of [other, viewer]) expect((await claim({}, client)).status).toBe(403);
    const { body } = await claim({}, worker);
    const [{ token }] = body.claims as [ClaimBody];
    for (const client of [other, viewer]) expect((await endBy(client, token, "complete")).status).toBe(403);
    expect((await worker.get(`/v1/types/${type}/consumers`)).status).toBe(403);
    expect((await endBy(worker, token, "complete")).body.state).toBe("succeeded");
  });

  test("a type that does not exist is not found, and one that a handler runs is no queue", async () => {
    const absent = await claim();
    expect([absent.status, (absent.body as unknown as Problem).code]).toEqual([404, "TYPE_NOT_FOUND"]);
    type = "test.echo";
    const handled = await claim();
    expect([handled.status, (handled.body as unknown as Problem).code]).toEqual([409, "TYPE_DELIVERY_CONFLICT"]);
    const pulled = await creator.admin.post<Problem>("/v1/tasks", { type, deliver: { kind: "pull" } });
    expect([pulled.status, pulled.body.code]).toEqual([409, "TYPE_DELIVERY_CONFLICT"]);
  });

  test.each([
    ["no task", { max: 0 }, "max"],
    ["more tasks than a call may get", { max: 101 }, "max"],
    ["half a task", { max: 1.5 }, "max"],
    ["a wait before now", { waitMs: -1 }, "waitMs"],
    ["a wait of more than a minute", { waitMs: 60_001 }, "waitMs"],
    ["a lease shorter than a second", { leaseMs: 999 }, "leaseMs"],
    ["a lease longer than a minute", { leaseMs: 60_001 }, "leaseMs"],
    ["a consumer without a name", { consumer: "" }, "consumer"],
    ["a field that there is not", { wait: 1 }, "wait"],
  ])("a queue refuses a call for %s, and claims nothing", async (_what, input, path) => {
    await schedule();
    const { status, body } = await claim(input);
    expect([status, (body as unknown as Problem).errors]).toEqual([400, [{ path, message: expect.any(String) }]]);
    expect((await claim()).body.claims).toHaveLength(1);
  });

  test.each([
    ["extend", { leaseMs: 999 }, "leaseMs", 400],
    ["extend", { leaseMs: 12 * 3_600_000 + 1 }, "leaseMs", 400],
    ["complete", { result: "x".repeat(70_000) }, "result", 413],
    ["fail", {}, "error", 400],
    ["fail", { error: "x", retryAfter: -1 }, "retryAfter", 400],
    ["fail", { error: "x", retryable: "no" }, "retryable", 400],
  ])("a queue refuses to %s by the bad body %j, and changes nothing", async (verb, input, ...told) => {
    await schedule();
    const one = await claimOne();
    const { status, body } = await end<Problem>(one.token, verb, input);
    expect([status, body.errors]).toEqual([told[1], [{ path: told[0], message: expect.any(String) }]]);
    expect((await stateOf(one)).state).toBe("running");
  });

  test("a task for consumers takes no address of a webhook", async () => {
    const { status, body } = await creator.admin.post<Problem>("/v1/tasks", {
      type,
      deliver: { kind: "pull", url: "https://example.com" },
    });
    expect([status, body.errors.map(({ path }) => path)]).toEqual([400, ["deliver.url"]]);
  });

  test("GraphQL claims, extends, completes, fails and releases as REST does", async () => {
    for (const n of [1, 2, 3]) await schedule({ payload: { n } });
    const { graphql } = {
      graphql: (query: string, variables: object = {}) => server.admin.graphql<Record<string, never>>(query, variables),
    };
    const claimed = await graphql(
      `
        mutation ($type: String!) {
          claimTasks(type: $type, max: 3) {
            claims {
              token
              task {
                payload
                attempt
              }
            }
          }
        }
      `,
      { type },
    );
    const { claims } = claimed.data["claimTasks"] as unknown as ClaimsBody;
    expect(claims.map(({ task }) => task.payload)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    const [first, second, third] = claims.map(({ token }) => token);
    const ended = await graphql(
      `
        mutation ($a: String!, $b: String!, $c: String!) {
          extend: extendClaim(token: $a, leaseMs: 60000) {
            leaseUntil
          }
          complete: completeClaim(token: $a, result: { width: 640 }) {
            state
          }
          fail: failClaim(token: $b, error: "no space left", retryable: false) {
            state
          }
          release: releaseClaim(token: $c) {
            state
          }
        }
      `,
      { a: first, b: second, c: third },
    );
    expect(ended.data).toEqual({
      extend: { leaseUntil: expect.any(String) },
      complete: { state: "succeeded" },
      fail: { state: "dead" },
      release: { state: "scheduled" },
    });
    const long = await graphql(
      `
        mutation ($type: String!) {
          claimTasks(type: $type, waitMs: 10001) {
            claims {
              token
            }
          }
        }
      `,
      { type },
    );
    expect(long.errors![0]!.extensions!.code).toBe("VALIDATION_FAILED");
  });
});
