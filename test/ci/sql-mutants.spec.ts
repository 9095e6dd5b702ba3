import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type PostgresService, startPostgres } from "@tickwheel/local-services";
import { runSqlMutants, sqlMutants, type SqlMutantVerdict } from "../simulation/mutants/sql-mutants.mjs";
import { depth } from "../support/depth.js";
import { printFigures } from "../support/figures.js";

const MAJORS = depth<readonly (18 | 15)[]>({ sample: [18], whole: [18, 15] });
/** Those of the sample break the claim and the end, on which all else rests. */
const MUTANTS = depth<readonly string[]>({
  sample: ["claim-by-id-alone", "completion-guarded-by-read", "merge-without-lock"],
  whole: sqlMutants,
});

describe.each([...MAJORS])("the SQL mutants on Postgres %i", (major) => {
  let postgres: PostgresService;
  let verdicts: SqlMutantVerdict[];

  beforeAll(async () => {
    postgres = await startPostgres({ major, settings: { fsync: false } });
    verdicts = await runSqlMutants({ url: postgres.url, only: [...MUTANTS] });
  });
  afterAll(() => postgres?.stop());

  test("the store as it is passes the conformance suite", () => {
    const [unchanged] = verdicts;
    expect(unchanged).toMatchObject({ mutant: null, told: "passes all" });
  });

  test.each([...MUTANTS])("the SQL mutant %s is found", (name) => {
    const verdict = verdicts.find(({ mutant }) => mutant === name)!;
    printFigures(`SQL mutant on Postgres ${major}, ${verdict.says}`, { told: verdict.told, seconds: verdict.seconds });
    expect(verdict).toMatchObject({ asExpected: true, told: verdict.told });
  });

  test("the SQL mutants are forty-one", () => {
    expect(sqlMutants).toHaveLength(41);
  });
});
