import { randomUUID } from "node:crypto";
import { Client } from "pg";
import type { BenchTask, Contestant, OpenContestant } from "./contestant.js";

const SCHEMA = `
CREATE TABLE IF NOT EXISTS bare_task (
  id uuid PRIMARY KEY, due_at timestamptz(3) NOT NULL, created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  owner bigint, type_id integer NOT NULL, fence integer NOT NULL DEFAULT 0, attempt integer NOT NULL DEFAULT 0,
  slot smallint NOT NULL, state smallint NOT NULL DEFAULT 0, priority smallint NOT NULL DEFAULT 5, payload json NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX IF NOT EXISTS bare_task_due ON bare_task (type_id, due_at, id) WHERE state = 0;`;

const INSERT = `INSERT INTO bare_task (id, due_at, type_id, slot, payload)
  SELECT id, due_at, 1, 0, payload FROM unnest($1::uuid[], $2::timestamptz[], $3::json[]) AS task (id, due_at, payload)`;
const CANCEL = "DELETE FROM bare_task WHERE id = ANY($1::uuid[]) AND state = 0";

const STATEMENTS: Readonly<Record<string, string>> = {
  claim: `UPDATE bare_task SET state = 1, owner = 1, fence = fence + 1, attempt = attempt + 1
    WHERE id = ANY($1::uuid[]) AND state = 0 RETURNING id, fence, attempt, due_at, payload`,
  complete: "DELETE FROM bare_task WHERE id = ANY($1::uuid[]) AND state = 1 AND owner = 1",
};

/** As many as one statement of Tickwheel's own takes. */
const BATCH = 1_000;

/**
 * What Postgres can do at most for a scheduler of this shape: a narrow table with the two indexes that it cannot do
 * without, one connection, named prepared statements, and all callers that wait at one moment in one statement. It runs
 * nothing. The limit that the others are compared with, not a scheduler.
 */
class BarePostgres implements Contestant {
  readonly bulk = { size: BATCH, inFlight: 1 };
  private readonly creates = new Batches<BenchTask, string>((tasks) => this.createMany(tasks));
  private readonly cancels = new Batches<string, void>(async (ids) => {
    await this.client.query({ name: "cancel", text: CANCEL, values: [ids] });
    return ids.map(() => undefined);
  });

  constructor(private readonly client: Client) {}

  create(task: BenchTask): Promise<string> {
    return this.creates.add(task);
  }

  async createMany(tasks: readonly BenchTask[]): Promise<string[]> {
    const ids = tasks.map(() => randomUUID());
    const dues = tasks.map(({ dueAt }) => new Date(dueAt).toISOString());
    const payloads = tasks.map(({ payload }) => JSON.stringify(payload));
    await this.client.query({ name: "insert", text: INSERT, values: [ids, dues, payloads] });
    return ids;
  }

  cancel(id: string): Promise<void> {
    return this.cancels.add(id);
  }

  async pending(): Promise<number> {
    const { rows } = await this.client.query<{ pending: number }>("SELECT count(*)::int AS pending FROM bare_task");
    return rows[0]!.pending;
  }

  async statements(name: string): Promise<(() => Promise<unknown>)[]> {
    const { rows } = await this.client.query<{ id: string }>("SELECT id FROM bare_task ORDER BY due_at");
    const ids = rows.map(({ id }) => id);
    const batches = Array.from({ length: Math.ceil(ids.length / BATCH) }, (_, i) =>
      ids.slice(i * BATCH, (i + 1) * BATCH),
    );
    return batches.map((batch) => () => this.client.query({ name, text: STATEMENTS[name]!, values: [batch] }));
  }

  async close(): Promise<void> {
    await this.client.end();
  }
}

/** Group commit: what comes while a batch is under way is the next batch. */
class Batches<Item, Reply> {
  private waiting: { item: Item; resolve: (reply: Reply) => void; reject: (error: unknown) => void }[] = [];
  private isWriting = false;

  constructor(private readonly write: (items: Item[]) => Promise<Reply[]>) {}

  add(item: Item): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      if (!this.isWriting) void this.flush();
    });
  }

  private async flush(): Promise<void> {
    this.isWriting = true;
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, BATCH);
      try {
        const replies = await this.write(batch.map(({ item }) => item));
        for (const [i, { resolve }] of batch.entries()) resolve(replies[i]!);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.isWriting = false;
  }
}

export const open: OpenContestant = async ({ postgresUrl }) => {
  const client = new Client({ connectionString: postgresUrl });
  await client.connect();
  await client.query(SCHEMA);
  return new BarePostgres(client);
};
