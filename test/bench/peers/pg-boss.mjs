import pg from "pg";
import { PgBoss } from "pg-boss";

const QUEUE = "bench";

/** By settings: README.md names the source of each. */
const OPTIONS = {
  best: {
    boss: { max: 20, schedule: false },
    queue: { partition: true, heartbeatSeconds: 10 },
    work: { pollingIntervalSeconds: 0.5, batchSize: 1_000, burstWhenBatchFull: true, localConcurrency: 2 },
    bulk: { size: 1_000, inFlight: 3 },
  },
  detection: {
    boss: {
      max: 20,
      schedule: false,
      superviseIntervalSeconds: 1,
      monitorIntervalSeconds: 1,
      maintenanceIntervalSeconds: 1,
      queueCacheIntervalSeconds: 1,
    },
    queue: { partition: true, heartbeatSeconds: 10 },
    work: { pollingIntervalSeconds: 0.5, batchSize: 1_000, burstWhenBatchFull: true, localConcurrency: 2 },
    bulk: { size: 1_000, inFlight: 3 },
  },
  defaults: { boss: {}, queue: {}, work: {}, bulk: { size: 1_000, inFlight: 1 } },
};

/** pg-boss: one instance that sends and works. The look at its table is the bench's own, on a connection of its own. */
class PgBossContestant {
  constructor(boss, tables, bulk) {
    Object.assign(this, { boss, tables, bulk });
  }

  create({ payload, dueAt }) {
    return this.boss.send(QUEUE, payload, { startAfter: new Date(dueAt) });
  }

  createMany(tasks) {
    const jobs = tasks.map(({ payload, dueAt }) => ({ data: payload, startAfter: new Date(dueAt) }));
    return this.boss.insert(QUEUE, jobs, { returnId: true });
  }

  async cancel(id) {
    const { affected } = await this.boss.cancel(QUEUE, id);
    if (affected !== 1) throw new Error(`job ${id} was not cancelled`);
  }

  async pending() {
    const sql = "SELECT count(*)::int AS pending FROM pgboss.job WHERE name = $1 AND state < 'completed'";
    const { rows } = await this.tables.query(sql, [QUEUE]);
    return rows[0].pending;
  }

  async close() {
    await this.boss.stop({ graceful: true, timeout: 5_000 });
    await this.tables.end();
  }
}

export async function open({ postgresUrl, settings, concurrency, works }, run) {
  const { boss: options, queue, work, bulk } = OPTIONS[settings];
  const boss = new PgBoss({ connectionString: postgresUrl, ...options });
  boss.on("error", (error) => console.error(`pg-boss: ${error.message}`));
  await boss.start();
  await boss.createQueue(QUEUE, queue);
  const places = concurrency === null ? {} : { batchSize: concurrency, localConcurrency: 1 };
  // A batch's jobs are settled together, so they start together too.
  const handle = (jobs) => Promise.all(jobs.map(({ data }) => run(data.n))).then(() => undefined);
  if (works) await boss.work(QUEUE, { ...work, ...places }, handle);
  return new PgBossContestant(boss, new pg.Pool({ connectionString: postgresUrl, max: 1 }), bulk);
}
