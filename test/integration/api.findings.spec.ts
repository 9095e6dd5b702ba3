import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { TypeView } from "@tickwheel/api";
import type { Finding } from "../support/api-client.js";
import { ApiApplication } from "../support/api-application.js";
import { SoonInTime } from "../support/soon-in-time.js";
import { OwnPostgres } from "../support/servers/own-postgres.js";

interface Report {
  now: Finding[];
  lastDay: Finding[];
}

let postgres: OwnPostgres;
let app: ApiApplication;
/** The time stands still but for this. */
let soon: SoonInTime;

beforeAll(async () => {
  postgres = await OwnPostgres.start();
  app = await ApiApplication.startTimed("fastify", await postgres.createDatabase("findings"));
  soon = new SoonInTime(app.time);
});
afterAll(async () => {
  await app.stop();
  await postgres.stop();
});

const create = (type: string, more: object = {}) => app.admin.post("/v1/tasks", { type, payload: {}, ...more });
const report = async (client = app.admin): Promise<Report> => (await client.get<Report>("/v1/findings")).body;
const codes = ({ now }: Report): string[] => now.map(({ code }) => code);
const types = async (client = app.admin): Promise<TypeView[]> =>
  (await client.get<{ items: TypeView[] }>("/v1/types")).body.items;

describe("what is the matter", () => {
  test("a type that no node runs is a finding with its cure, gone when nothing of it waits, and told for a day", async () => {
    const { body: task } = await create("mail.send");
    const [finding] = await soon.holds(async () => {
      const { now } = await report();
      expect(now).toMatchObject([{ code: "TYPE_WITHOUT_NODE", severity: "critical", until: null }]);
      return now;
    });
    expect(finding).toMatchObject({
      title: "No live node runs mail.send",
      cure: "Start a node with this handler.",
      facts: { type: "mail.send", overdue: 1 },
    });
    const { status, body } = await app.admin.get("/health/ready");
    expect([status, body]).toEqual([200, { status: "degraded" }]);
    await app.admin.delete(`/v1/tasks/${(task as { id: string }).id}`);
    await soon.holds(async () => expect(await report()).toMatchObject({ now: [], lastDay: [{ id: finding!.id }] }));
    expect((await app.admin.get("/health/ready")).body).toEqual({ status: "ready" });
  });

  test("a failing type is told with its error, to its own namespace and to keys with the right cluster", async () => {
    await app.admin.post("/v1/tasks/bulk", { tasks: Array.from({ length: 20 }, () => ({ type: "test.fail" })) });
    const both = ["TYPE_FAILING", "DEAD_TASKS"];
    await soon.holds(async () => expect(codes(await report())).toEqual(both));
    const [{ consequence }] = (await report()).now as [Finding];
    expect(consequence).toMatch(/^Error: it was meant to\. In the last 5 minutes 20 attempts failed, and 20 of them/);
    const stranger = await app.clientAs({ namespace: "other" });
    expect(codes(await report(stranger))).toEqual([]);
    expect(codes(await report(await app.clientAs({ namespace: "other", cluster: true })))).toEqual(both);
    expect(codes(await report(await app.clientAs({})))).toEqual(both);
  });
});

describe("the types", () => {
  test("the types come with their figures, those in need first, in pages", async () => {
    await create("a.nobody");
    await create("b.nobody", { delay: "1h" });
    await app.admin.post("/v1/tasks/bulk", { tasks: Array.from({ length: 5 }, () => ({ type: "test.echo" })) });
    await soon.holds(async () => {
      const listed = await types();
      expect(listed.map(({ type }) => type).filter((type) => !type.startsWith("mail"))).toEqual([
        "a.nobody",
        "test.fail",
        "b.nobody",
        "test.echo",
        "test.hold",
        "test.record",
        "test.tell",
      ]);
      expect(listed[0]).toMatchObject({ overdue: 1, waitsFor: "HANDLER", nodes: [], failedShare: null });
      expect(listed.find(({ type }) => type === "test.fail")).toMatchObject({
        failedShare: 1,
        lastError: "Error: it was meant to",
      });
      const echo = listed.find(({ type }) => type === "test.echo")!;
      expect(echo.nodes).toHaveLength(1);
      expect(echo.startsPerSecond).toBeGreaterThan(0);
      expect(echo.latenessMs).not.toBeNull();
    });
    const first = await app.admin.get<{ items: TypeView[]; nextCursor: string }>("/v1/types?limit=2");
    const rest = await app.admin.get<{ items: TypeView[]; nextCursor: null }>(
      `/v1/types?limit=200&cursor=${first.body.nextCursor}`,
    );
    expect([...first.body.items, ...rest.body.items]).toHaveLength((await types()).length);
    expect(rest.body.nextCursor).toBeNull();
  });

  test("types of another namespace are not told, nor which nodes run them to a key without the right cluster", async () => {
    expect(await types(await app.clientAs({ namespace: "other" }))).toEqual([]);
    const listed = await types(await app.clientAs({}));
    expect(listed.length).toBeGreaterThan(3);
    expect(listed.every(({ nodes }) => nodes.length === 0)).toBe(true);
  });

  test("a query of rubbish for types is refused with every fault", async () => {
    const { status, body } = await app.admin.get<{ errors: { path: string }[] }>("/v1/types?limit=0&cursor=x&why=1");
    expect([status, body.errors.map(({ path }) => path)]).toEqual([400, ["limit", "cursor", "why"]]);
  });
});

describe("schedules that do not run", () => {
  const OF_ATTEMPTS = ["TYPE_FAILING", "DEAD_TASKS"];
  const make = async (name: string, definition: object): Promise<void> => {
    const { status, body } = await app.admin.post("/v1/schedules", { name, ...definition });
    expect([status, body]).toEqual([201, expect.anything()]);
  };
  const about = async (type: string): Promise<Finding[]> =>
    (await report()).now.filter(({ code, facts }) => facts.type === type && !OF_ATTEMPTS.includes(code));
  /** The only finding about this type. */
  const told = (type: string): Promise<Finding> =>
    soon.holds(async () => {
      const found = await about(type);
      expect(found).toHaveLength(1);
      return found[0]!;
    });
  const expectOver = ({ id }: Finding): Promise<void> =>
    soon.holds(async () => {
      const { now, lastDay } = await report();
      expect([now, lastDay].map((findings) => findings.some((finding) => finding.id === id))).toEqual([false, true]);
    });

  test("schedules that lack a node are told before anything is overdue, and no more once they are paused", async () => {
    // The first one after an anchor of now is in thirty days.
    await make("lonely", { type: "mail.monthly", every: "30d", anchor: app.time.now.toISOString() });
    const finding = await told("mail.monthly");
    expect(finding).toMatchObject({
      code: "SCHEDULE_WITHOUT_NODE",
      severity: "warning",
      title: "No live node runs mail.monthly, the type of the schedule lonely",
      facts: { type: "mail.monthly", schedules: ["lonely"], scheduleCount: 1 },
    });
    await app.admin.post("/v1/schedules/lonely/pause", {});
    await expectOver(finding);
  });

  test("schedules that lack a node are told with their type once an occurrence is overdue", async () => {
    await make("frequent", { type: "mail.often", every: "1s" });
    const finding = await told("mail.often");
    expect(finding.code).toBe("TYPE_WITHOUT_NODE");
    expect(finding.consequence).toMatch(/ Its schedule frequent waits, too\.$/);
    await app.admin.delete("/v1/schedules/frequent");
    await expectOver(finding);
  });

  test("schedules that failed too often are told with their failures until they are resumed or deleted", async () => {
    await make("unlucky", { type: "test.fail", every: "1s", pauseAfterFailures: 2 });
    const finding = await told("test.fail");
    expect(finding).toMatchObject({
      code: "SCHEDULE_PAUSED",
      severity: "warning",
      title: "The schedule unlucky paused itself after 2 failures in a row",
      cure: expect.stringMatching(/ Then resume the schedule\.$/),
      facts: { type: "test.fail", schedules: ["unlucky"], failures: 2 },
    });
    expect(codes(await report(await app.clientAs({ namespace: "other" })))).not.toContain("SCHEDULE_PAUSED");
    expect(codes(await report(await app.clientAs({})))).toContain("SCHEDULE_PAUSED");
    await app.admin.delete("/v1/schedules/unlucky");
    await expectOver(finding);
  });
});

describe("batches that are not done", () => {
  test("batches that are not done at their deadline are told with what is left and the cure, until they are cancelled", async () => {
    const { body: batch } = await app.admin.post<{ id: string }>("/v1/batches", {
      name: "late",
      deadline: "1s",
      seal: true,
      tasks: [{ type: "test.echo" }, { type: "test.echo", delay: "1h" }],
      onComplete: { type: "test.tell" },
    });
    const finding = await soon.holds(async () => {
      const found = (await report()).now.find(({ code }) => code === "BATCH_OVERDUE");
      expect(found).toBeDefined();
      return found!;
    });
    expect(finding).toMatchObject({
      severity: "warning",
      title: "The batch late passed its deadline with 1 left",
      consequence: "1 of its 2 members has not succeeded yet. It is not complete, so test.tell was not made yet.",
      cure: "See its leftovers. Retry those that are dead, or settle them by hand.",
      facts: { batches: ["late"], batchIds: [batch.id], batchCount: 1, left: 1 },
    });
    expect(codes(await report(await app.clientAs({ namespace: "other" })))).not.toContain("BATCH_OVERDUE");
    expect(codes(await report(await app.clientAs({})))).toContain("BATCH_OVERDUE");
    await app.admin.delete(`/v1/batches/${batch.id}`);
    await soon.holds(async () => {
      const { now, lastDay } = await report();
      expect([now, lastDay].map((some) => some.some(({ id }) => id === finding.id))).toEqual([false, true]);
    });
  });
});
