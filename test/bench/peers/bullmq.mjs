import { Queue, Worker } from "bullmq";

const QUEUE = "bench";

/** By settings: README.md names the source of each. */
const OPTIONS = {
  best: {
    worker: { concurrency: 100 },
    job: { removeOnComplete: true, removeOnFail: true },
    bulk: { size: 1_000, inFlight: 3 },
  },
  // A lock as long as ours; its documents advise against shorter ones than its own.
  detection: {
    worker: { concurrency: 100, lockDuration: 5_000, stalledInterval: 1_000 },
    job: { removeOnComplete: true, removeOnFail: true },
    bulk: { size: 1_000, inFlight: 3 },
  },
  defaults: { worker: {}, job: {}, bulk: { size: 1_000, inFlight: 1 } },
};

/** BullMQ on Redis: a queue and a worker, each with connections of its own. */
class BullMqContestant {
  constructor(queue, worker, bulk) {
    Object.assign(this, { queue, worker, bulk });
  }

  async create(task) {
    const { id } = await this.queue.add(QUEUE, task.payload, delayOf(task));
    return id;
  }

  async createMany(tasks) {
    const jobs = await this.queue.addBulk(
      tasks.map((task) => ({ name: QUEUE, data: task.payload, opts: delayOf(task) })),
    );
    return jobs.map(({ id }) => id);
  }

  async cancel(id) {
    if ((await this.queue.remove(id)) !== 1) throw new Error(`job ${id} was not removed`);
  }

  async limit(limit) {
    if (limit?.maxRunning === undefined) await this.queue.removeGlobalConcurrency();
    else await this.queue.setGlobalConcurrency(limit.maxRunning);
    if (limit?.perSecond === undefined) await this.queue.removeGlobalRateLimit();
    else await this.queue.setGlobalRateLimit(limit.perSecond, 1_000);
  }

  async pending() {
    return this.queue.getJobCountByTypes("delayed", "waiting", "active", "prioritized");
  }

  async close() {
    await this.worker?.close();
    await this.queue.close();
  }
}

export async function open({ redisUrl, settings, concurrency, works }, run) {
  const { hostname: host, port } = new URL(redisUrl);
  const connection = { host, port: Number(port) };
  const { worker: options, job, bulk } = OPTIONS[settings];
  const queue = new Queue(QUEUE, { connection, defaultJobOptions: job });
  await queue.waitUntilReady();
  const places = concurrency === null ? {} : { concurrency };
  const handle = async ({ data }) => run(data.n);
  const worker = works
    ? new Worker(QUEUE, handle, { connection: { ...connection, maxRetriesPerRequest: null }, ...options, ...places })
    : undefined;
  worker?.on("error", (error) => console.error(`bullmq: ${error.message}`));
  await worker?.waitUntilReady();
  return new BullMqContestant(queue, worker, bulk);
}

/** BullMQ takes a delay, counted from now. */
function delayOf({ dueAt }) {
  const timestamp = Date.now();
  return { timestamp, delay: Math.max(0, dueAt - timestamp) };
}
