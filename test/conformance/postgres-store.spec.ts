import { afterAll, beforeAll, describe, test } from "@jest/globals";
import {
  clusterStoreConformance,
  interleavedLeaseConformance,
  interleavingConformance,
  leaseStoreConformance,
  effectStoreConformance,
  scheduleStoreConformance,
  taskStoreConformance,
} from "@tickwheel/conformance";
import { effectPairs } from "./effect-pairs.js";
import { type PostgresSubjects, startPostgresSubjects } from "./postgres-subject.mjs";

/** Unpacking, initdb and the first start on a busy machine. */

let postgres: PostgresSubjects | undefined;

beforeAll(async () => {
  postgres = await startPostgresSubjects();
});

afterAll(() => postgres?.stop());

describe("the Postgres task store", () => {
  test.each([...taskStoreConformance])("$name", ({ run }) => run(postgres!.subject));
});

describe("the Postgres cluster store", () => {
  test.each([...clusterStoreConformance])("$name", ({ run }) => run(postgres!.subject));
});

describe("the Postgres lease store", () => {
  test.each([...leaseStoreConformance])("$name", ({ run }) => run(postgres!.subject));
});

describe("the Postgres schedule store", () => {
  test.each([...scheduleStoreConformance])("$name", ({ run }) => run(postgres!.subject));
});

describe("the Postgres effect store", () => {
  test.each([...effectStoreConformance])("$name", ({ run }) => run(postgres!.subject));
});

describe("two effects of one handler in Postgres", () => {
  test.each(effectPairs)("$name", ({ run }) => run(postgres!.subject));
});

describe("interleavings in Postgres", () => {
  test.each([...interleavingConformance, ...interleavedLeaseConformance])("$name", ({ run }) =>
    run(postgres!.interleaved),
  );
});
