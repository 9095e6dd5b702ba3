import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type DynamicModule, Injectable } from "@nestjs/common";
import { DelayTaskApiModule } from "@tickwheel/api";
import { DelayTaskHandler, DelayTaskModule, defineTask } from "@tickwheel/nestjs";
import { ApiClient } from "../support/api-client.js";
import { type HostedApi, hostApi } from "../support/app/hosted-api.js";
import { newTestKey } from "../support/cluster.js";
import { eventually } from "../support/eventually.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const KEY = newTestKey();
const Invoice = defineTask<{ no: number }>("invoice", { maxAttempts: 1 });
const Mail = defineTask<{ no: number }>("mail", { maxAttempts: 1 });

interface GroupBody {
  type: string;
  fingerprint: string;
  title: string;
  place: string;
  count: number;
  firstAt: string;
  lastAt: string;
  seenAt: string | null;
  reason: string;
  hours: number[];
  sample: { id: string; lastError: string; attempt: number; node: string } | null;
}
interface FindingBody {
  code: string;
  title: string;
}
interface PageBody {
  items: GroupBody[];
  nextCursor: string | null;
  causes: number;
  tasks: number;
}

let postgres: TestPostgres;
let served: HostedApi;

@Injectable()
class Handlers {
  @DelayTaskHandler(Invoice)
  invoice({ payload }: { payload: { no: number } }): void {
    throw new Error(`invoice ${payload.no} is not to be found`);
  }

  @DelayTaskHandler(Mail)
  mail(): void {
    throw new TypeError("the provider is down");
  }
}

beforeAll(async () => {
  postgres = await startTestPostgres();
  const url = await postgres.createDatabase("dead_letters");
  const imports: DynamicModule[] = [
    DelayTaskApiModule.forRoot({ notice: false }),
    DelayTaskModule.forRoot({ url, heartbeat: "loop" }),
  ];
  served = await hostApi({ providers: [Handlers], imports }, KEY);
  const numbers = [41, 42, 43];
  await served.tasks.scheduleMany(numbers.map((no) => ({ task: Invoice, payload: { no } })));
  await served.tasks.schedule(Mail, { no: 1 });
  await eventually(async () => expect(await list()).toMatchObject({ causes: 2, tasks: 4 }));
});
afterAll(async () => {
  await served?.app.close();
  await postgres?.stop();
});

async function list(query = ""): Promise<PageBody> {
  const { status, body } = await served.api.get<PageBody>(`/v1/dead-letters${query}`);
  expect(status).toBe(200);
  return body;
}

async function invoices(): Promise<GroupBody> {
  return (await list("?type=invoice")).items[0]!;
}

describe("dead letters by cause", () => {
  test("dead letters by cause are listed with the most tasks first, by type, words, reason and time, in pages", async () => {
    const { items } = await list();
    expect(items[0]).toMatchObject({
      type: "invoice",
      title: "Error: invoice # is not to be found",
      place: "Handlers.invoice",
      count: 3,
      reason: "ATTEMPTS",
      sample: { attempt: 1, lastError: expect.stringContaining("is not to be found"), node: expect.any(String) },
    });
    expect(items[0]!.hours).toHaveLength(168);
    expect(items[0]!.hours.reduce((sum, deaths) => sum + deaths)).toBe(3);
    expect(items[1]).toMatchObject({ type: "mail", title: "TypeError: the provider is down", count: 1 });
    const first = await list("?limit=1");
    expect(first.items).toEqual([items[0]]);
    expect((await list(`?limit=1&cursor=${first.nextCursor}`)).items).toEqual([items[1]]);
    expect((await list("?error=PROVIDER")).items).toEqual([items[1]]);
    expect((await list("?reason=CRASHES,NON_RETRYABLE")).items).toEqual([]);
    expect((await list(`?since=${items[0]!.firstAt}`)).causes).toBeGreaterThan(0);
    expect((await list("?since=2100-01-01T00:00:00Z")).items).toEqual([]);
  });

  test("a cause of dead tasks tells where they died and which the newest are, over REST, GraphQL and in code", async () => {
    const group = await invoices();
    const { body } = await served.api.get<Record<string, unknown>>(`/v1/dead-letters/invoice/${group.fingerprint}`);
    expect(body).toMatchObject({
      ...group,
      lookedAt: 3,
      nodes: [{ node: group.sample!.node, count: 3 }],
      versions: [{ count: 3 }],
      retrying: { count: 0, isAtLeast: false },
    });
    expect(body.newest).toHaveLength(3);
    const kept = Date.parse(body.keptUntil as string) - Date.parse(group.firstAt);
    expect(kept).toBe(30 * 86_400_000);
    const query = `query ($of: String!) {
      deadLetter(type: "invoice", fingerprint: $of) { title count newest { id } }
      none: deadLetter(type: "mail", fingerprint: $of) { title }
      deadLetters(filter: { type: "invoice", reason: ["ATTEMPTS"] }, first: 1) { nodes { fingerprint } causes tasks pageInfo { hasNextPage } }
    }`;
    const answer = await served.api.post<{ data: object }>("/graphql", { query, variables: { of: group.fingerprint } });
    expect(answer.body).toEqual({
      data: {
        deadLetter: {
          title: group.title,
          count: 3,
          newest: (body.newest as object[]).map((it) => ({ id: (it as { id: string }).id })),
        },
        none: null,
        deadLetters: {
          nodes: [{ fingerprint: group.fingerprint }],
          causes: 1,
          tasks: 3,
          pageInfo: { hasNextPage: false },
        },
      },
    });
    const { deadLetters } = served.tasks;
    expect(await deadLetters.get("invoice", group.fingerprint)).toMatchObject({ firstAt: new Date(group.firstAt) });
    expect(await deadLetters.list({ type: "invoice", reasons: ["ATTEMPTS"] })).toMatchObject({ causes: 1, next: null });
  });

  test("a cause of dead tasks that does not exist, or is asked for wrongly, is refused", async () => {
    const { fingerprint } = await invoices();
    for (const path of [`mail/${fingerprint}`, "invoice/0123456789ab", "invoice/X"])
      expect((await served.api.get(`/v1/dead-letters/${path}`)).body).toMatchObject({ code: "DEAD_LETTERS_NOT_FOUND" });
    for (const wrong of ["reason=REQUESTED", "since=yesterday", "cursor=1", "error=", "types=mail"])
      expect((await served.api.get(`/v1/dead-letters?${wrong}`)).status).toBe(400);
    expect(await served.tasks.deadLetters.get("invoice", "X")).toBeNull();
    await expect(served.tasks.deadLetters.list({ limit: 0 })).rejects.toMatchObject({ code: "VALIDATION_FAILED" });
  });

  test("a cause of dead tasks is a finding until somebody looks, over REST, GraphQL or in code, which viewers may not say", async () => {
    const findings = async () => {
      const { body } = await served.api.get<{ now: FindingBody[] }>("/v1/findings");
      return body.now.filter(({ code }) => code === "DEAD_TASKS");
    };
    const [bill, mail] = (await list()).items;
    const titles = async (): Promise<string[]> => (await findings()).map(({ title }) => title).toSorted();
    const billTitle = "3 dead tasks of invoice: Error: invoice # is not to be found";
    const mailTitle = "1 dead task of mail: TypeError: the provider is down";
    await eventually(async () => expect(await titles()).toEqual([mailTitle, billTitle]));
    expect((await served.api.get("/health/ready")).body).toEqual({ status: "ready" });
    const path = `/v1/dead-letters/invoice/${bill!.fingerprint}/seen`;
    const { key } = await served.tasks.apiKeys.create({ name: "viewer", role: "viewer" });
    const viewer = new ApiClient(await served.app.getUrl(), key);
    expect((await viewer.post(path, {})).body).toMatchObject({ code: "FORBIDDEN" });
    const before = Date.now();
    const { status, body } = await served.api.post<GroupBody>(path, {});
    expect([status, body]).toEqual([200, expect.objectContaining({ ...bill, seenAt: expect.any(String) })]);
    expect(Date.parse(body.seenAt!)).toBeGreaterThan(before - 60_000);
    expect((await invoices()).seenAt).toBe(body.seenAt);
    await eventually(async () => expect(await titles()).toEqual([mailTitle]));
    const query = `mutation ($of: String!) { seeDeadGroup(type: "mail", fingerprint: $of) { count seenAt } }`;
    const answer = await served.api.post<object>("/graphql", { query, variables: { of: mail!.fingerprint } });
    expect(answer.body).toEqual({ data: { seeDeadGroup: { count: 1, seenAt: expect.any(String) } } });
    await eventually(async () => expect(await titles()).toEqual([]));
    const { deadLetters } = served.tasks;
    expect((await deadLetters.see("mail", mail!.fingerprint)).seenAt).toBeInstanceOf(Date);
    for (const none of ["0123456789ab", "X"])
      await expect(deadLetters.see("mail", none)).rejects.toMatchObject({ code: "DEAD_LETTERS_NOT_FOUND" });
  });

  test("all dead tasks of one cause are discarded by an operation, and its undo brings the cause back", async () => {
    const before = await invoices();
    const filter = { type: "invoice", states: ["dead"] as const, fingerprint: [before.fingerprint] };
    const { operations, deadLetters } = served.tasks;
    const { id } = await operations.start({ action: "discard", filter, reason: "test invoices" });
    await eventually(async () => expect((await list("?type=invoice")).tasks).toBe(0));
    expect(await deadLetters.get("invoice", before.fingerprint)).toBeNull();
    await eventually(async () => expect((await operations.get(id))!.state).toBe("done"));
    await operations.undo(id);
    await eventually(async () => expect(await invoices()).toEqual({ ...before, seenAt: null }));
  });
});
