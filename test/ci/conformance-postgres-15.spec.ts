import { afterAll, beforeAll, describe, test } from "@jest/globals";
import { clusterStoreConformance, taskStoreConformance } from "@tickwheel/testing";
import { type PostgresSubject, startPostgresSubject } from "../conformance/postgres-subject.js";

let postgres: PostgresSubject | undefined;

beforeAll(async () => {
  postgres = await startPostgresSubject({ major: 15 });
});

afterAll(() => postgres?.stop());

describe("the task store on Postgres 15", () => {
  test.each([...taskStoreConformance])("$name", ({ run }) => run(postgres!.subject));
});

describe("the cluster store on Postgres 15", () => {
  test.each([...clusterStoreConformance])("$name", ({ run }) => run(postgres!.subject));
});
