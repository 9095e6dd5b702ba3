import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type PostgresService, startPostgres } from "@tickwheel/local-services";
import { migrate } from "@tickwheel/postgres-store";
import { shapeOf } from "../support/catalogue.js";
import { MigratorProcess } from "../support/migrator-process.js";

/** More than there are statements. */
const MAX_KILLS = 300;

let postgres: PostgresService;

beforeAll(async () => {
  postgres = await startPostgres({ settings: { fsync: false } });
});
afterAll(() => postgres?.stop());

/** What one run that nobody disturbs makes of a database. */
async function intended(url: string): Promise<string[]> {
  await migrate(url);
  return shapeOf(url);
}

/** Runs the migrator until it has nothing left to die in, beside what is known, and answers where it died in all. */
async function killEverywhere(url: string, known: readonly string[] = []): Promise<string[]> {
  const died = [...known];
  while (died.length < MAX_KILLS) {
    const last = await new MigratorProcess(url, died).end();
    if (last.ran) return died;
    died.push(last.died!);
  }
  throw new Error(`It died ${MAX_KILLS} times, the last time in ${died.at(-1)}`);
}

test("a migrator that is killed by SIGKILL in each of its statements and commits leaves what one run makes, when it is run again", async () => {
  const grown = [await postgres.createDatabase("grown"), await postgres.createDatabase("grown_at_once")] as const;
  // As the last release leaves it.
  for (const url of grown) await migrate(url, { migrations: [], partitionDaysAhead: 7 });
  const died = await killEverywhere(grown[0]);
  expect(died).toContainEqual(expect.stringContaining("CREATE INDEX CONCURRENTLY"));
  expect(died).toContainEqual(expect.stringContaining("ATTACH PARTITION"));
  expect(await shapeOf(grown[0])).toEqual(await intended(grown[1]));

  const empty = await postgres.createDatabase("empty");
  const diedOnEmpty = await killEverywhere(empty, died);
  expect(diedOnEmpty).toContainEqual(expect.stringContaining(".task ( id uuid"));
  expect(diedOnEmpty).toContainEqual(expect.stringContaining("_day PARTITION OF"));
  expect(await shapeOf(empty)).toEqual(await intended(await postgres.createDatabase("made_at_once")));
});
