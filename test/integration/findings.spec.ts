import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { SeenCause } from "@tickwheel/core";
import { migrate, openPostgres, type PostgresStores } from "@tickwheel/postgres-store";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

let postgres: TestPostgres;
let databases = 0;
let stores: PostgresStores;
let nowMs = Date.UTC(2026, 0, 1);

const CLOSE_MS = 10_000;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  const url = await postgres.createDatabase(`findings_${databases++}`);
  await migrate(url);
  stores = openPostgres({ url, size: 4, asOf: () => nowMs });
});
afterEach(() => stores.close());

function seen(code: SeenCause["code"], subject = "", changes: Partial<SeenCause> = {}): SeenCause {
  return { code, subject, namespace: null, severity: "warning", facts: { count: 1 }, since: nowMs, ...changes };
}

describe("findings as rows", () => {
  test("a cause that many nodes tell at once, in any order, has one finding", async () => {
    const causes = Array.from({ length: 20 }, (_, index) => seen("NODE_SUSPECT", `node ${index}`));
    const told = await Promise.all(
      [causes, [...causes].reverse(), causes.slice(5), causes.slice(0, 9)].map((some) =>
        stores.findings.keep(some, CLOSE_MS),
      ),
    );
    expect(new Set(told.flat().map(({ id }) => id)).size).toBe(20);
    expect(await stores.findings.keep([], CLOSE_MS)).toHaveLength(20);
  });

  test("a renewed finding keeps its id and its beginning, and has the newest facts", async () => {
    const [first] = await stores.findings.keep([seen("REDIS_AWAY")], CLOSE_MS);
    nowMs += 5_000;
    const earlier = seen("REDIS_AWAY", "", { since: first!.since - 2_000, facts: { count: 2 }, severity: "critical" });
    const [second] = await stores.findings.keep([earlier], CLOSE_MS);
    expect(second).toEqual({ ...first, since: first!.since - 2_000, facts: { count: 2 }, severity: "critical" });
  });

  test("a finding closes when nobody has seen its cause for a while, and ended when it was last seen", async () => {
    const lastSeenAt = nowMs;
    await stores.findings.keep([seen("REDIS_AWAY")], CLOSE_MS);
    nowMs += CLOSE_MS;
    expect(await stores.findings.keep([seen("NO_LEADER")], CLOSE_MS)).toHaveLength(2);
    nowMs += 1;
    expect(await stores.findings.keep([seen("NO_LEADER")], CLOSE_MS)).toMatchObject([{ code: "NO_LEADER" }]);
    expect(await stores.findings.lastDay(10)).toMatchObject([{ code: "REDIS_AWAY", until: lastSeenAt }]);
    const again = await stores.findings.keep([seen("REDIS_AWAY")], CLOSE_MS);
    expect(again.map(({ code }) => code).sort()).toEqual(["NO_LEADER", "REDIS_AWAY"]);
  });

  test("a suspect node that died is one finding, no matter who writes first, also for a writer that has not heard of it", async () => {
    const [suspect] = await stores.findings.keep([seen("NODE_SUSPECT", "b")], CLOSE_MS);
    nowMs += 3_000;
    const told = await Promise.all(
      Array.from({ length: 4 }, () =>
        stores.findings.keep([seen("NODE_DIED", "b", { severity: "notice", facts: { slots: 7 } })], CLOSE_MS),
      ),
    );
    const late = await stores.findings.keep([seen("NODE_SUSPECT", "b"), seen("NODE_SUSPECT", "c")], CLOSE_MS);
    const died = { ...suspect, code: "NODE_DIED", severity: "notice", facts: { slots: 7 } };
    expect(told).toEqual(told.map(() => [died]));
    expect(late).toHaveLength(2);
    expect(late).toEqual(expect.arrayContaining([died, expect.objectContaining({ subject: "c" })]));
  });

  test("a finding is forgotten a day after its end, and what flickers for ever has a bound", async () => {
    await stores.findings.keep([seen("REDIS_AWAY")], CLOSE_MS);
    nowMs += CLOSE_MS + 1;
    await stores.findings.keep([], CLOSE_MS);
    nowMs += 86_400_000;
    await stores.findings.keep([], CLOSE_MS);
    const rows = (): Promise<{ count: number }[]> =>
      stores.database.run(
        {
          name: "count_findings",
          isPrepared: false,
          sql: (schema) => `SELECT count(*)::integer AS count FROM ${schema}.finding`,
          values: () => [],
          read: (row) => ({ count: Number(row.count) }),
        },
        null,
      );
    expect(await rows()).toEqual([{ count: 0 }]);
    const many = Array.from({ length: 5_100 }, (_, index) => seen("NODE_DIED", `node ${index}`));
    await stores.findings.keep(many, CLOSE_MS);
    nowMs += CLOSE_MS + 1;
    await stores.findings.keep([], CLOSE_MS);
    nowMs += 1_000;
    await stores.findings.keep([seen("REDIS_AWAY")], CLOSE_MS);
    nowMs += CLOSE_MS + 1;
    await stores.findings.keep([], CLOSE_MS);
    await stores.findings.keep([], CLOSE_MS);
    expect((await rows())[0]!.count).toBeLessThan(5_102);
    expect(await stores.findings.lastDay(500)).toHaveLength(500);
  });
});
