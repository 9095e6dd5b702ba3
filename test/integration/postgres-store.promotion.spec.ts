import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { migrate, openPostgres, type PostgresStores } from "@tickwheel/postgres-store";
import { eventually } from "../support/eventually.js";
import { OwnPostgres } from "../support/servers/own-postgres.js";

let postgres: OwnPostgres;
let stores: PostgresStores;

beforeAll(async () => {
  postgres = await OwnPostgres.start();
  await migrate(postgres.url);
  stores = openPostgres({ url: postgres.url });
});

afterAll(async () => {
  await stores.close();
  await postgres.stop();
});

/** Brings the server back as if it was restored from its log and then promoted, on a new timeline. */
async function promote(): Promise<void> {
  await postgres.kill();
  const data = join(postgres.dataDir, "data");
  appendFileSync(join(data, "postgresql.auto.conf"), "restore_command = 'false'\n");
  writeFileSync(join(data, "recovery.signal"), "");
  await postgres.restart();
}

test("a restart leaves the timeline as it is, a promotion begins another one", async () => {
  const before = await stores.tasks.timeline();
  await postgres.restart({ mode: "immediate" });
  const restarted = await eventually(() => stores.tasks.timeline());
  await promote();
  const promoted = await eventually(async () => {
    const timeline = await stores.tasks.timeline();
    expect(timeline).not.toBeNull();
    return timeline;
  });
  expect(restarted).toBe(before);
  expect(promoted).not.toBe(before);
});
