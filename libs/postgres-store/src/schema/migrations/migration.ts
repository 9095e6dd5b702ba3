import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * A change of the schema that is made while nodes work on it: small steps, each of which may be run again. After a
 * killed run the migration begins again at its first step, so each step says `IF NOT EXISTS` or the like. The migration
 * counts as run only once its last step is done.
 *
 * @example
 * export const suspects: Migration = {
 *   name: "Suspects1763850000000",
 *   steps: [
 *     { sql: "ALTER TABLE @task ADD COLUMN IF NOT EXISTS suspected_at timestamptz(3)" },
 *     { index: "task_suspect", on: "task", as: "(type_id) WHERE suspected_at IS NOT NULL" },
 *   ],
 * };
 */
export interface Migration {
  /** Ends in thirteen digits, an instant in epoch milliseconds. Migrations run in the order of these instants. */
  readonly name: string;
  /**
   * The name of the oldest migration that a node must know to work on the schema that this one leaves. Nodes that do
   * not know it are refused from now on.
   */
  readonly oldestCompatible?: string;
  readonly steps: readonly MigrationStep[];
}

export type MigrationStep = SqlStep | IndexStep;

/** Statements of one transaction, which waits 100 ms for a lock and is then tried again. */
export interface SqlStep {
  /** `@` stands for the schema and its dot, `#` for the partition. */
  readonly sql: string;
  /** The step runs once for each partition of this table, each time in its own transaction. */
  readonly eachPartitionOf?: string;
}

/**
 * An index that is made while others write to its table. On a partitioned table it is made partition by partition and
 * attached.
 */
export interface IndexStep {
  readonly index: string;
  /** The table's name without its schema. */
  readonly on: string;
  /** The SQL behind `ON table`: columns, method, condition. */
  readonly as: string;
  readonly isUnique?: boolean;
}

/** When a migration was written, which gives its order among all. */
export function instantOf(name: string): number {
  return Number(name.slice(-13));
}

/**
 * The class that TypeORM runs for a migration.
 *
 * @param migration.isWhole whether one transaction holds all of it. False: each step has its own
 */
export function typeormMigration(
  { name, isWhole }: { name: string; isWhole: boolean },
  up: (runner: QueryRunner) => Promise<void>,
): new () => MigrationInterface {
  return class implements MigrationInterface {
    readonly name = name;
    readonly transaction = isWhole;
    readonly up = up;

    /** Migrations go forward only. */
    down(): Promise<void> {
      return Promise.reject(new Error("Tickwheel's migrations go forward only"));
    }
  };
}
