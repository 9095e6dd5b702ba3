import { afterAll, beforeAll, describe, test } from "@jest/globals";
import {
  clusterStoreConformance,
  interleavedLeaseConformance,
  interleavingConformance,
  leaseStoreConformance,
  taskStoreConformance,
} from "@tickwheel/conformance";
import { type PostgresSubjects, startPostgresSubjects } from "../conformance/postgres-subject.mjs";

let postgres: PostgresSubjects | undefined;

beforeAll(async () => {
  postgres = await startPostgresSubjects({ major: 15 });
});

afterAll(() => postgres?.stop());

describe("the task store on Postgres 15", () => {
  test.each([...taskStoreConformance])("$name", ({ run }) => run(postgres!.subject));
});

describe("the cluster store on Postgres 15", () => {
  test.each([...clusterStoreConformance, ...leaseStoreConformance])("$name", ({ run }) => run(postgres!.subject));
});

describe("interleavings on Postgres 15", () => {
  test.each([...interleavingConformance, ...interleavedLeaseConformance])("$name", ({ run }) =>
    run(postgres!.interleaved),
  );
});
