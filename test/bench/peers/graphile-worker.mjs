import { Logger, makeWorkerUtils, run as runWorker } from "graphile-worker";
import pg from "pg";

const TASK = "bench";

const BEST = {
  worker: {
    concurrentJobs: 24,
    maxPoolSize: 25,
    pollInterval: 10,
    localQueue: { size: 500 },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
  },
  bulk: { size: 5_000, inFlight: 2 },
};

/** By settings: README.md names the source of each. */
const OPTIONS = {
  best: BEST,
  // It has no option for how long a lock lasts, only for how often it looks: at the longest locks, nothing changes.
  detection: { ...BEST, worker: { ...BEST.worker, minResetLockedInterval: 1_000, maxResetLockedInterval: 1_000 } },
  defaults: { worker: {}, bulk: { size: 1_000, inFlight: 1 } },
};

/**
 * graphile-worker: a runner, and the utils that add jobs. The look at its tables is the bench's own, on a connection of
 * its own.
 */
class GraphileWorkerContestant {
  constructor(utils, runner, { tables, bulk }) {
    Object.assign(this, { utils, runner, tables, bulk });
  }

  async create({ payload, dueAt }) {
    const { id } = await this.utils.addJob(TASK, payload, { runAt: new Date(dueAt) });
    return id;
  }

  async createMany(tasks) {
    const jobs = tasks.map(({ payload, dueAt }) => ({ identifier: TASK, payload, runAt: new Date(dueAt) }));
    return (await this.utils.addJobs(jobs)).map(({ id }) => id);
  }

  async cancel(id) {
    if ((await this.utils.completeJobs([id])).length !== 1) throw new Error(`job ${id} was not cancelled`);
  }

  async pending() {
    const { rows } = await this.tables.query("SELECT count(*)::int AS pending FROM graphile_worker._private_jobs");
    return rows[0].pending;
  }

  async close() {
    await this.runner?.stop();
    await this.utils.release();
    await this.tables.end();
  }
}

export async function open({ postgresUrl, settings, concurrency, works }, run) {
  const { worker, bulk } = OPTIONS[settings];
  const places = concurrency === null ? {} : { concurrentJobs: concurrency };
  const logger = new Logger(
    () => (level, message) => level === "error" && console.error(`graphile-worker: ${message}`),
  );
  const preset = { worker: { connectionString: postgresUrl, ...worker, ...places, logger } };
  const utils = await makeWorkerUtils({ preset });
  await utils.migrate();
  const taskList = { [TASK]: async (payload) => run(payload.n) };
  const runner = works ? await runWorker({ preset, taskList, noHandleSignals: true }) : undefined;
  const tables = new pg.Pool({ connectionString: postgresUrl, max: 1 });
  return new GraphileWorkerContestant(utils, runner, { tables, bulk });
}
