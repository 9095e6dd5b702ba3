import { migrate as migrateTickwheel } from "@tickwheel/nestjs";
import { DataSource } from "typeorm";
import { Effect } from "../executions/effect.entity.js";
import { ExecutionEnd } from "../executions/execution-end.entity.js";
import { ExecutionStart } from "../executions/execution-start.entity.js";
import { Order } from "../orders/order.entity.js";
import { OvertakenTask } from "../orders/overtaken-task.entity.js";
import { Shop1763683200000 } from "./migrations/1763683200000-shop.js";
import { Reservations1764403200000 } from "./migrations/1764403200000-reservations.js";
import { PreparingClient } from "./preparing-client.js";

/** Where the shop's tables live, apart from Tickwheel's. */
export const SHOP_SCHEMA = "shop";
/** Any number that nobody else on this database uses: "shop" in ASCII. */
const MIGRATION_LOCK = 0x73_68_6f_70;
/** The connections of each shop: those that serve callers, and those that only handlers take. */
export const CONNECTIONS = { callers: 8, handlers: 4 };
const POOL_SIZE = CONNECTIONS.callers + CONNECTIONS.handlers;
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Connects to the shop's database and brings its tables up to date. Shops that start at the same instant wait for one
 * another. All connections are open afterwards and stay open: the first tasks that are due together would wait for
 * them.
 */
export async function openShopDataSource(url: string): Promise<DataSource> {
  const dataSource = new DataSource({
    type: "postgres",
    url,
    schema: SHOP_SCHEMA,
    entities: [Order, OvertakenTask, ExecutionStart, ExecutionEnd, Effect],
    migrations: [Shop1763683200000, Reservations1764403200000],
    synchronize: false,
    poolSize: POOL_SIZE,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    applicationName: "shop",
    extra: { Client: PreparingClient, min: POOL_SIZE },
  });
  await dataSource.initialize();
  try {
    // The triggers of the shop's tables call functions of Tickwheel's schema.
    await migrateTickwheel(dataSource);
    await migrate(dataSource);
    await openAll(dataSource);
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
  return dataSource;
}

async function migrate(dataSource: DataSource): Promise<void> {
  const lock = dataSource.createQueryRunner();
  try {
    await lock.query("SELECT pg_advisory_lock($1)", [MIGRATION_LOCK]);
    const [found] = (await lock.query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [SHOP_SCHEMA])) as unknown[];
    // With `IF NOT EXISTS` alone the role would need CREATE on the database although the schema is there.
    if (!found) await lock.query(`CREATE SCHEMA ${SHOP_SCHEMA}`);
    await dataSource.runMigrations({ transaction: "all" });
    await lock.query("SELECT pg_advisory_unlock($1)", [MIGRATION_LOCK]);
  } finally {
    await lock.release();
  }
}

async function openAll(dataSource: DataSource): Promise<void> {
  const runners = Array.from({ length: POOL_SIZE }, () => dataSource.createQueryRunner());
  try {
    await Promise.all(runners.map((runner) => runner.connect()));
  } finally {
    await Promise.all(runners.map((runner) => runner.release()));
  }
}
