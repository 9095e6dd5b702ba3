import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { clusterStoreConformance, taskStoreConformance } from "@tickwheel/testing";
import { type PostgresSubject, startPostgresSubject } from "./postgres-subject.js";

/** Unpacking, initdb and the first start on a busy machine. */
const START_LIMIT_MS = 60_000;

let postgres: PostgresSubject | undefined;

beforeAll(async () => {
  postgres = await startPostgresSubject();
}, START_LIMIT_MS);

afterAll(() => postgres?.stop());

describe("the Postgres task store", () => {
  test.each([...taskStoreConformance])("$name", ({ run }) => run(postgres!.subject));
});

describe("the Postgres cluster store", () => {
  test.each([...clusterStoreConformance])("$name", ({ run }) => run(postgres!.subject));
});
