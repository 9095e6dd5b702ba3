import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type PostgresService, startPostgres } from "@tickwheel/local-services";
import { Client } from "pg";

describe("Debian's Postgres 15", () => {
  let postgres: PostgresService;

  beforeAll(async () => {
    postgres = await startPostgres({ major: 15 });
  });
  afterAll(() => postgres.stop());

  test("Debian's Postgres 15 starts, keeps data over a crash and comes back", async () => {
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    await client.query("CREATE TABLE survived AS SELECT 15 AS answer");
    await client.end();
    await postgres.kill();
    await postgres.restart();
    const next = new Client({ connectionString: postgres.url });
    await next.connect();
    const { rows } = await next.query("SELECT answer FROM survived");
    await next.end();
    expect(postgres.version).toMatch(/^15\./);
    expect(rows).toEqual([{ answer: 15 }]);
  });
});
