import { type PostgresOptions, startPostgres } from "@tickwheel/local-services";
import { migrate, openPostgres } from "@tickwheel/postgres-store";
import type { TaskStoreSubject } from "@tickwheel/testing";
import { DataSource } from "typeorm";

/** Where the suite's time begins: any day will do. */
const FIRST_INSTANT = Date.UTC(2027, 0, 15, 11, 59, 30);

/** One whose clocks change twice a year: arithmetic with days would show. */
const TIME_ZONE = "Europe/Berlin";

export interface PostgresSubject {
  subject: TaskStoreSubject;
  stop(): Promise<void>;
}

/** The Postgres stores over a server of their own, with time that stands still; callers' transactions are TypeORM's. */
export async function startPostgresSubject(options: PostgresOptions = {}): Promise<PostgresSubject> {
  const server = await startPostgres({ settings: { fsync: false, timezone: TIME_ZONE }, ...options });
  const { url } = server;
  await migrate(url);
  let now = FIRST_INSTANT;
  let namespaces = 0;
  const stores = openPostgres({ url, asOf: () => now });
  const dataSource = await new DataSource({ type: "postgres", url }).initialize();
  return {
    subject: {
      store: () => stores.tasks,
      cluster: () => stores.cluster,
      advance: (delayMs) => void (now += delayMs),
      now: () => now,
      transaction: (work) => dataSource.transaction(work),
      freshNamespace: () => `case-${++namespaces}`,
    },
    stop: async () => {
      await dataSource.destroy();
      await stores.close();
      await server.stop();
    },
  };
}
