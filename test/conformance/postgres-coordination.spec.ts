import { afterAll, afterEach, beforeAll, describe, test } from "@jest/globals";
import { SystemClock } from "@tickwheel/core";
import { migrate, openPostgres, type PostgresStores } from "@tickwheel/postgres-store";
import { type CoordinationSubject, notifyConformance } from "@tickwheel/conformance";
import pg from "pg";
import { OwnPostgres } from "../support/servers/own-postgres.js";

/** Unpacking, initdb and the first start on a busy machine. */

const open: PostgresStores[] = [];
let postgres: OwnPostgres | undefined;

beforeAll(async () => {
  postgres = await OwnPostgres.start({ settings: { fsync: false } });
  await migrate(postgres.url);
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((stores) => stores.close()));
});

afterAll(() => postgres?.stop());

/** Ends the sessions that listen; new ones are let in at once. */
async function breakListeners(): Promise<void> {
  const client = new pg.Client({ connectionString: postgres!.url });
  await client.connect();
  await client.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'");
  await client.end();
}

const subject: CoordinationSubject = {
  clock: new SystemClock(),
  keyTtlMs: 1_500,
  join: async () => {
    const stores = openPostgres({ url: postgres!.url, size: 2 });
    open.push(stores);
    await stores.coordination.start();
    return stores.coordination;
  },
  flush: () => Promise.resolve(),
  stop: breakListeners,
  hang: () => Promise.resolve(),
  start: () => Promise.resolve(),
};

describe("coordination over NOTIFY", () => {
  test.each([...notifyConformance])("$name", ({ run }) => run(subject));
});
