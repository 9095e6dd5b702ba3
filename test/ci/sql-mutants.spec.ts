import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type PostgresService, startPostgres } from "@tickwheel/local-services";
import { runSqlMutants, sqlMutants, type SqlMutantVerdict } from "../simulation/mutants/sql-mutants.mjs";
import { printFigures } from "../support/figures.js";

const MAJORS = [18, 15] as const;

describe.each(MAJORS)("the SQL mutants on Postgres %i", (major) => {
  let postgres: PostgresService;
  let verdicts: SqlMutantVerdict[];

  beforeAll(async () => {
    postgres = await startPostgres({ major, settings: { fsync: false } });
    verdicts = await runSqlMutants({ url: postgres.url });
  });
  afterAll(() => postgres?.stop());

  test("the store as it is passes the conformance suite", () => {
    const [unchanged] = verdicts;
    expect(unchanged).toMatchObject({ mutant: null, told: "passes all" });
  });

  test.each([...sqlMutants])("%s is found", (name) => {
    const verdict = verdicts.find(({ mutant }) => mutant === name)!;
    printFigures(`SQL mutant on Postgres ${major}, ${verdict.says}`, { told: verdict.told, seconds: verdict.seconds });
    expect(verdict).toMatchObject({ asExpected: true, told: verdict.told });
  });

  test("are twelve", () => {
    expect(sqlMutants).toHaveLength(12);
  });
});
