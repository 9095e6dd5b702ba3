import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { type INestApplication, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { DelayTaskModule, DelayTaskService } from "@tickwheel/nestjs";
import { Client } from "pg";
import { eventually } from "../support/eventually.js";
import { startTestPostgres, type TestPostgres } from "../support/servers/test-postgres.js";

const HOUR = 3_600_000;

let postgres: TestPostgres;
let app: INestApplication;
let tasks: DelayTaskService;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterEach(() => app.close());
afterAll(() => postgres.stop());

async function open(url: string): Promise<void> {
  @Module({ imports: [DelayTaskModule.forRoot({ url, heartbeat: "loop" })] })
  class AppModule {}
  app = await NestFactory.create(AppModule, { logger: false, abortOnError: false });
  await app.init();
  tasks = app.get(DelayTaskService, { strict: false });
}

const nextAt = async (name: string): Promise<number> => (await tasks.schedules.get(name))!.nextAt!.getTime();

test("a cron occurrence keeps its wall time when a node comes up that has newer rules of its time zone", async () => {
  const url = await postgres.createDatabase("zone_rules");
  await open(url);
  const names = ["moved", "as.before"];
  for (const name of names)
    await tasks.schedules.create({ name, task: "report", cron: "0 3 * * *", timeZone: "Europe/Berlin" });
  const moved = await nextAt("moved");
  const asBefore = await nextAt("as.before");
  await app.close();
  const observer = new Client({ connectionString: url });
  await observer.connect();
  // As if older rules had said that it is 04:00 then: under the present ones 04:00 is an hour later.
  await observer.query(
    `UPDATE tickwheel.schedule SET zone_rules = '2000a',
            planning = jsonb_set(planning::jsonb, '{wallAt}', to_jsonb((planning ->> 'wallAt')::bigint + ${HOUR}))::json
      WHERE name = 'moved'`,
  );
  await open(url);
  await eventually(async () =>
    expect([await nextAt("moved"), await nextAt("as.before")]).toEqual([moved + HOUR, asBefore]),
  );
  const { rows } = await observer.query("SELECT DISTINCT zone_rules FROM tickwheel.schedule");
  expect(rows).toEqual([{ zone_rules: process.versions["tz"] }]);
  const { items } = await tasks.find({ type: "report", live: true });
  const instants = items.map(({ scheduledAt }) => scheduledAt.getTime());
  expect(instants.toSorted((one, other) => one - other)).toEqual([asBefore, moved + HOUR]);
  await observer.end();
});
