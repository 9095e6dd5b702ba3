import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Migration, migrate, MIGRATIONS } from "@tickwheel/postgres-store";
import { shapeOf } from "../support/catalogue.js";
import { MigratorProcess } from "../support/servers/migrator-process.js";
import { OwnPostgres } from "../support/servers/own-postgres.js";

/** What later releases might do, by every kind of step. */
const LATER: readonly Migration[] = [
  {
    name: "Grown9900000000000",
    steps: [
      { sql: "ALTER TABLE @task ADD COLUMN IF NOT EXISTS colour text" },
      { sql: "ALTER TABLE # SET (autovacuum_analyze_threshold = 51)", eachPartitionOf: "journal" },
      { sql: "CREATE TABLE IF NOT EXISTS @colour (name text PRIMARY KEY)" },
      { sql: "INSERT INTO @colour (name) VALUES ('red') ON CONFLICT DO NOTHING" },
      { index: "task_colour", on: "task", as: "(colour) WHERE colour IS NOT NULL" },
      { index: "history_slot", on: "history", as: "(slot, finished_at)" },
    ],
  },
  {
    name: "Gone9900000000001",
    oldestCompatible: "Grown9900000000000",
    steps: [{ sql: "DROP INDEX IF EXISTS @history_key" }],
  },
];
const migrations = [...MIGRATIONS, ...LATER];

/** More than there are statements. */
const MAX_KILLS = 300;

let postgres: OwnPostgres;

beforeAll(async () => {
  postgres = await OwnPostgres.start({ settings: { fsync: false } });
});
afterAll(() => postgres?.stop());

/** What one run that nobody disturbs makes of a database. */
async function intended(url: string): Promise<string[]> {
  await migrate(url, { migrations });
  return shapeOf(url);
}

/** Runs the migrator until it has nothing left to die in, beside what is known, and answers where it died in all. */
async function killEverywhere(url: string, known: readonly string[] = []): Promise<string[]> {
  const died = [...known];
  while (died.length < MAX_KILLS) {
    const last = await new MigratorProcess(url, { died, migrations }).end();
    if (last.ran) return died;
    died.push(last.died!);
  }
  throw new Error(`It died ${MAX_KILLS} times, the last time in ${died.at(-1)}`);
}

test("a migrator that is killed by SIGKILL in each of its statements and commits leaves what one run makes, when it is run again", async () => {
  const grown = [await postgres.createDatabase("grown"), await postgres.createDatabase("grown_at_once")] as const;
  // As this release leaves it, with partitions for today alone: the later one makes those of the days after it.
  for (const url of grown) await migrate(url, { partitionDaysAhead: 0 });
  const died = await killEverywhere(grown[0]);
  expect(died).toContainEqual(expect.stringContaining("CREATE INDEX CONCURRENTLY"));
  expect(died).toContainEqual(expect.stringContaining("ATTACH PARTITION"));
  expect(died).toContainEqual(expect.stringContaining("_day PARTITION OF"));
  expect(await shapeOf(grown[0])).toEqual(await intended(grown[1]));

  const empty = await postgres.createDatabase("empty");
  const diedOnEmpty = await killEverywhere(empty, died);
  expect(diedOnEmpty).toContainEqual(expect.stringContaining(".task ( id uuid"));
  expect(diedOnEmpty).toContainEqual(expect.stringContaining("compatibility (oldest_migration, first_schema)"));
  expect(await shapeOf(empty)).toEqual(await intended(await postgres.createDatabase("made_at_once")));
});
