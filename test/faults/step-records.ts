import type { Ledger } from "../support/ledger.js";

/**
 * What an execution noted: that it `began` at a row (`value`), `works` in a step, or at a page behind the row `value`,
 * was `answered` the fence that a step's result names, `checkpoints` a row and has `checkpointed` it, `stands` still,
 * or `ended`.
 */
export interface Note {
  taskId: string;
  node: string;
  fence: number;
  what: "began" | "works" | "answered" | "checkpoints" | "checkpointed" | "stands" | "ended";
  step: string | null;
  value: number | null;
}

/** The effect of a step, or a row of a page, written in its transaction. */
export interface StepEffect {
  taskId: string;
  step: string;
  fence: number;
}

/** No constraint that could hide a double. A row with a gate is committed once this lock of the database is free. */
const TABLES = `
  CREATE TABLE noted (task_id uuid, node text, fence int, what text, step text, value int);
  CREATE TABLE stepped (task_id uuid, step text, fence int, gate int);
  CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_xact_lock_shared(NEW.gate); RETURN NULL; END $$;
  CREATE CONSTRAINT TRIGGER gate AFTER INSERT ON stepped DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW WHEN (NEW.gate IS NOT NULL) EXECUTE FUNCTION wait_at_gate();`;

/** The records of the stepping and walking handlers: what they noted beside their steps, and the effects of these. */
export class StepRecords {
  constructor(private readonly ledger: Ledger) {}

  /** Makes the tables; once, before the first node starts. */
  async create(): Promise<void> {
    await this.ledger.query(TABLES);
  }

  notes(): Promise<Note[]> {
    return this.ledger.query<Note>(`SELECT task_id::text AS "taskId", node, fence, what, step, value FROM noted`);
  }

  effects(): Promise<StepEffect[]> {
    return this.ledger.query<StepEffect>(`SELECT task_id::text AS "taskId", step, fence FROM stepped`);
  }

  /** The tasks that have noted this. */
  async tasksThat(what: Note["what"]): Promise<Set<string>> {
    const rows = await this.ledger.query<{ id: string }>(
      `SELECT DISTINCT task_id::text AS id FROM noted WHERE what = '${what}'`,
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** How many commits wait at these gates. */
  async atGates(gates: readonly number[]): Promise<number> {
    const [row] = await this.ledger.query<{ count: number }>(
      `SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid IN (${gates.join()})`,
    );
    return row!.count;
  }
}
