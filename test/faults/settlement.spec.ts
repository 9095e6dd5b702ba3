import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { freePort } from "@tickwheel/local-services";
import { promised } from "../support/broken-promise.js";
import { ApiClient } from "../support/api-client.js";
import { newTestKey, TestStage } from "../support/cluster.js";
import { depth } from "../support/depth.js";
import { eventually } from "../support/eventually.js";
import { printFigures } from "../support/figures.js";
import { Ledger } from "../support/ledger.js";
import { NodeProcess, repositoryRoot } from "../support/node-process.js";
import { makeSchemas } from "../support/servers/test-role.mjs";

/** `node test/runner/run-tests.mjs --whole faults -- settlement` settles so many. */
const PAYMENTS = depth({ sample: 15_000, whole: 300_000 });
const SHOPS = 3;
/** The parts of the payments that are settled when a shop is killed. */
const KILLS_AT = [0.15, 0.4];
/** Each page takes so long, so that a kill finds members at work. */
const PAGE_SECONDS = 0.05;
const script = join(repositoryRoot, "apps/shop/dist/main.js");

const stage = new TestStage();
const apiKey = newTestKey();
let ledger: Ledger;
let shops: { process: NodeProcess; client: ApiClient }[];

beforeAll(async () => {
  const { databaseUrl, redisUrl } = await stage.services({ redis: true });
  await makeSchemas(databaseUrl, "shop");
  ledger = await stage.add(new Ledger(databaseUrl));
  shops = await Promise.all(Array.from({ length: SHOPS }, () => startShop(databaseUrl, redisUrl!)));
  for (const { client } of shops) {
    await eventually(async () => expect((await client.get("/health/ready")).status).toBe(200));
    await eventually(async () => expect((await client.get("/v1/schedules/settlement")).status).toBe(200));
  }
  await ledger.query(`
    INSERT INTO shop.payments (order_id, cents, paid_at)
    SELECT 'o' || n, 1 + n % 997, (date_trunc('day', now() AT TIME ZONE 'Europe/Berlin') - interval '1 day') AT TIME ZONE 'Europe/Berlin'
           + (n % 86000) * interval '1 second' FROM generate_series(1, ${PAYMENTS}) n;
    CREATE FUNCTION shop.take_time() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(${PAGE_SECONDS}); RETURN NULL; END $$;
    CREATE TRIGGER take_time BEFORE INSERT ON shop.settled_payments FOR EACH STATEMENT EXECUTE FUNCTION shop.take_time();`);
});
afterAll(() => stage.stop());

async function startShop(databaseUrl: string, redisUrl: string): Promise<(typeof shops)[number]> {
  const port = await freePort();
  const env = { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, PORT: String(port), TICKWHEEL_API_KEY: apiKey };
  const process = new NodeProcess({ script, env: { ...env, PAYMENT_PROVIDER_URL: "http://127.0.0.1:9" } });
  await stage.add({ stop: () => (process.end ? undefined : process.kill()) });
  return { process, client: new ApiClient(`http://127.0.0.1:${port}`, apiKey) };
}

/** The only row of a query whose columns are counts. */
async function numbers(sql: string): Promise<Record<string, number>> {
  const [row] = await ledger.query<Record<string, string | null>>(sql);
  return Object.fromEntries(Object.entries(row ?? {}).map(([name, text]) => [name, Number(text)]));
}

async function untilSettled(part: number): Promise<void> {
  await eventually(async () => {
    const { count } = await numbers("SELECT count(*) FROM shop.settled_payments");
    expect(count).toBeGreaterThanOrEqual(part * PAYMENTS);
  });
}

/** Kills a shop that runs a member now. */
async function killWorkingShop(): Promise<void> {
  const shop = await eventually(async () => {
    const owners = await ledger.query<{ pid: number }>(
      `SELECT DISTINCT split_part(n.label, ':', 2)::int AS pid FROM tickwheel.task t JOIN tickwheel.node n ON n.boot_id = t.owner
        WHERE t.state = 1 AND t.batch_id IS NOT NULL`,
    );
    const working = shops.find(({ process }) => !process.end && owners.some(({ pid }) => pid === process.pid));
    expect(working).toBeDefined();
    return working!;
  });
  await shop.process.kill();
}

test("a settlement that is begun twice, and whose shops are killed, settles each payment once, and its totals are right", async () => {
  const begun = await Promise.all(shops.map(({ client }) => client.post("/v1/schedules/settlement/trigger", {})));
  expect(begun.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
  for (const part of KILLS_AT) {
    await untilSettled(part);
    await killWorkingShop();
  }
  const compared = await eventually(async () => {
    const row = await numbers("SELECT payments, cents, missing FROM shop.settlements WHERE compared_at IS NOT NULL");
    expect(row).toHaveProperty("payments");
    return row;
  });
  const sum = await numbers("SELECT count(*) AS payments, sum(cents) AS cents FROM shop.payments");
  const settled = await numbers("SELECT count(*) AS payments, sum(cents) AS cents FROM shop.settled_payments");
  promised(() => expect([compared, settled]).toEqual([{ ...sum, missing: 0 }, sum]));
  const { client } = shops.find(({ process }) => !process.end)!;
  const { body } = await client.get<{ items: { state: string; counts: Record<string, number> }[] }>("/v1/batches");
  expect(body.items).toHaveLength(1);
  const { state, counts } = body.items[0]!;
  expect([state, counts["succeeded"]]).toEqual(["complete", counts["total"]]);
  const { late } = await numbers(
    "SELECT count(*) AS late FROM tickwheel.journal WHERE reason IN ('CRASHED', 'LOOP_BLOCKED')",
  );
  printFigures("a settlement under kill -9", { payments: PAYMENTS, members: counts["total"], takenOver: late });
  expect(late).toBeGreaterThan(0);
});
