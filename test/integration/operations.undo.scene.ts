import type { JournalEntry, OperationUndo, Task, TaskOperation, UndoReach } from "@tickwheel/core";
import type { Client } from "pg";
import { eventually } from "../support/eventually.js";
import type { OperationScenes, OperationWish } from "./operations.scene.js";
import { NAMESPACE } from "./postgres-store.scene.js";

/** A text that a JSON column keeps only as `json`, not as `jsonb`. */
const RESULT = '{ "n" :  1.0e2, "u": "\\u00e9" }';

/** What an undo must put back, and what may stand in its way. */
export class UndoScenes {
  constructor(readonly its: OperationScenes) {}

  async another(): Promise<UndoScenes> {
    return new UndoScenes(await this.its.another());
  }

  /** Carries an operation out that must change all of `count` tasks. */
  async done(wish: OperationWish, count: number, pageSize?: number): Promise<TaskOperation> {
    await eventually(() => this.mustBeOlder());
    const operation = await this.its.run(wish, pageSize);
    if (operation.changed !== count) throw new Error(`It changed ${operation.changed} in place of ${count}`);
    return operation;
  }

  /** An operation leaves what was created in its own millisecond. */
  private async mustBeOlder(): Promise<void> {
    const [row] = await this.its.query(
      "SELECT coalesce(max(created_at) < date_trunc('milliseconds', clock_timestamp()), true) AS older FROM tickwheel.task",
    );
    if (row!.older !== true) throw new Error("a task is of this millisecond");
  }

  begin({ id }: { id: string }, overdue: OperationUndo["overdue"] = "leave") {
    const change = { kind: "undo", actor: "key:2", reason: null, overdue } as const;
    return this.its.stores.operations.change({ namespace: NAMESPACE, id }, change);
  }

  async undo(operation: { id: string }, overdue?: OperationUndo["overdue"], pageSize?: number): Promise<TaskOperation> {
    await this.begin(operation, overdue);
    return this.its.carryOut(operation, pageSize);
  }

  /** What became of these tasks. */
  async outcomes({ id }: { id: string }, ids: readonly string[]): Promise<(string | undefined)[]> {
    const filter = { namespace: NAMESPACE, operationId: id, outcomes: [], limit: 10_000, after: null };
    const { tasks } = await this.its.stores.operations.tasksOf(filter);
    const outcomes = new Map(tasks.map((task) => [task.id, task.outcome]));
    return ids.map((one) => outcomes.get(one));
  }

  async reach({ id }: { id: string }): Promise<UndoReach> {
    return (await this.its.stores.operations.undoReach({ namespace: NAMESPACE, id }))!;
  }

  /** All that the rows hold, with the tables they are in, but for version, fence and journal. */
  async image(ids: readonly string[]): Promise<string> {
    const [row] = await this.its.query(
      `SELECT string_agg(place || (to_jsonb(t) - '{version,fence,notes,journal_count,result}'::text[])::text || coalesce(t.result::text, ''), chr(10) ORDER BY t.id) AS image
         FROM (SELECT 'task ' AS place, * FROM tickwheel.task UNION ALL SELECT 'history ', * FROM tickwheel.history) t WHERE t.id = ANY ($1)`,
      [ids],
    );
    return row!.image as string;
  }

  async journal(id: string): Promise<JournalEntry[]> {
    return (await this.its.stores.tasks.journal({ namespace: NAMESPACE, id, limit: 200 }))!.entries;
  }

  /** The tasks whose stored entries are not numbered from 1 without a gap, or not as their rows say. */
  async gaps(): Promise<Record<string, unknown>[]> {
    return this.its.query(
      `SELECT t.id, t.journal_count, array_agg(j.seq ORDER BY j.seq) FROM (SELECT id, journal_count FROM tickwheel.task UNION ALL SELECT id, journal_count FROM tickwheel.history) t
         LEFT JOIN tickwheel.journal j ON j.task_id = t.id GROUP BY 1, 2
       HAVING count(j.seq) <> t.journal_count OR count(DISTINCT j.seq) <> t.journal_count OR coalesce(max(j.seq), 0) <> t.journal_count`,
    );
  }

  /** What is counted of the ends of the type: succeeded, skipped, cancelled, expired. */
  async counted(): Promise<number[]> {
    const [row] = await this.its.query(
      `SELECT coalesce(sum(succeeded), 0)::float8 AS s, coalesce(sum(skipped), 0)::float8 AS k, coalesce(sum(cancelled), 0)::float8 AS c, coalesce(sum(expired), 0)::float8 AS e
         FROM tickwheel.tally WHERE type_id = (SELECT id FROM tickwheel.type WHERE type = $1)`,
      [this.its.type],
    );
    return [row!.s, row!.k, row!.c, row!.e] as number[];
  }

  /** Waiting tasks of all kinds: every fifth is paused, others have tags, a start deadline, or belong to a batch. */
  async waiting(count: number): Promise<string[]> {
    const ids = await this.mixed(count);
    await this.its.pause(ids.filter((_, i) => i % 5 === 0));
    return ids;
  }

  private async mixed(count: number): Promise<string[]> {
    const made: Task[] = [];
    for (let i = 0; i < count; i++)
      made.push(
        await this.its.task({
          key: `k${i}`,
          tags: i % 3 === 0 ? ["y", "z"] : [],
          ...(i % 4 === 0 && { startDeadlineMs: 60_000 }),
        }),
      );
    const ids = made.map(({ id }) => id);
    await this.intoBatch(ids.filter((_, i) => i % 2 === 0));
    return ids.toSorted();
  }

  async scheduled(count: number): Promise<string[]> {
    return this.its.tasks(count, { tags: ["y"] });
  }

  async paused(count: number): Promise<string[]> {
    const ids = await this.mixed(count);
    await this.its.pause(ids);
    return ids;
  }

  /** Tasks that have ended in all ways, in both tables: some with a result, some behind failed attempts. */
  async ended(count: number): Promise<string[]> {
    const ids = await this.mixed(count);
    const [dead, succeeded, cancelled, expired, failed] = [0, 1, 2, 3, 4].map((end) =>
      ids.filter((_, i) => i % 5 === end),
    );
    await this.its.fail(failed!);
    await this.its.kill([...dead!, ...failed!]);
    await this.its.succeed(succeeded!);
    await this.its.query("UPDATE tickwheel.history SET result = $2::json WHERE id = ANY ($1)", [succeeded, RESULT]);
    for (const id of cancelled!)
      await this.its.stores.tasks.cancel({ target: { namespace: NAMESPACE, id }, actor: "test" });
    await this.expire(expired!);
    return ids;
  }

  async dead(count: number): Promise<string[]> {
    const ids = await this.mixed(count);
    await this.its.kill(ids);
    return ids;
  }

  /** Tasks that wait after a failed attempt. */
  async failing(count: number): Promise<string[]> {
    const ids = await this.its.tasks(count);
    await this.its.fail(ids);
    return ids;
  }

  /** A batch that is not sealed, so it does not complete, with these members. */
  async intoBatch(ids: readonly string[]): Promise<string> {
    const [row] = await this.its.query(
      `INSERT INTO tickwheel.batch (id, namespace, state, created_at, created_by, total, fail_fast, retry_dead) VALUES (gen_random_uuid(), $1, 'filling', now(), 'test', $2, false, false) RETURNING id::text AS id`,
      [NAMESPACE, ids.length],
    );
    await this.its.query("UPDATE tickwheel.task SET batch_id = $1 WHERE id = ANY ($2)", [row!.id, ids]);
    return row!.id as string;
  }

  /** The counts of all batches whose members these tasks are. */
  async members(ids: readonly string[]): Promise<unknown[]> {
    const found = await this.its.query(
      `SELECT DISTINCT batch_id::text AS id FROM (SELECT id, batch_id FROM tickwheel.task UNION ALL SELECT id, batch_id FROM tickwheel.history) t
        WHERE t.id = ANY ($1) AND batch_id IS NOT NULL ORDER BY 1`,
      [ids],
    );
    const refs = found.map(({ id }) => ({ namespace: NAMESPACE, id: id as string }));
    return Promise.all(refs.map(async (ref) => (await this.its.stores.batches.get(ref))!.counts));
  }

  private async expire(ids: readonly string[]): Promise<void> {
    await this.its.query(
      "UPDATE tickwheel.task SET due_at = now() - interval '2 s', start_deadline_at = now() - interval '1 s' WHERE id = ANY ($1)",
      [ids],
    );
    const [{ type_id: typeId } = {}] = await this.its.query("SELECT type_id FROM tickwheel.task WHERE id = $1", [
      ids[0],
    ]);
    await this.its.stores.tasks.expire({ typeIds: [typeId as number], limit: 1_000 });
  }

  /** Takes the key of a task, in somebody's transaction: another live task has it. */
  async takeKey(client: Client, id: string): Promise<void> {
    await client.query(
      `INSERT INTO tickwheel.task (id, slot, type_id, state, key, key_live, created_at, scheduled_at, due_at, priority, max_attempts, timeout_ms, created_by)
       SELECT gen_random_uuid(), slot, type_id, 0, key, true, now(), now() + interval '1 h', now() + interval '1 h', priority, max_attempts, timeout_ms, 'test'
         FROM (SELECT * FROM tickwheel.task UNION ALL SELECT * FROM tickwheel.history) t WHERE id = $1`,
      [id],
    );
  }

  /** Claims a task in somebody's transaction. */
  async claimIn(client: Client, id: string): Promise<void> {
    await client.query(
      "UPDATE tickwheel.task SET state = 1, owner = 1, fence = fence + 1, attempt = attempt + 1, claimed_at = now() WHERE id = $1",
      [id],
    );
  }
}
