import { sqlStateOf } from "../../connection/driver-errors.js";
import type { QuotedSchema } from "../../connection/session.js";
import type { IndexStep } from "./migration.js";
import type { StepRunner } from "./step-runner.js";

/** Most rounds over the partitions of a table: nodes may make new partitions during each round. */
const MAX_ROUNDS = 10;
const DUPLICATE_TABLE = "42P07";
/** Postgres cuts longer names. */
const LONGEST_NAME = 63;

/**
 * Makes an index CONCURRENTLY: it waits for open transactions, and nobody waits for it.
 *
 * A killed run leaves an invalid index. It is dropped and made again, but only once nobody works on it any more: the
 * server goes on with a statement whose client is gone. On a partitioned table the parent's index is made first,
 * without those of the partitions, so later partitions get theirs by themselves. Then each existing partition's index
 * is made and attached. The last one makes the parent's index valid.
 */
export class ConcurrentIndex {
  constructor(
    private readonly steps: StepRunner,
    private readonly schema: QuotedSchema,
    private readonly step: IndexStep,
  ) {}

  async make(): Promise<void> {
    const { index, on } = this.step;
    const [table] = await this.steps.query(
      `SELECT relkind = 'p' AS partitioned FROM pg_class WHERE oid = '${this.schema}.${on}'::regclass`,
    );
    if (table?.partitioned !== true) return this.build(index, on);
    await this.steps.transaction(`index ${index}`, this.statement({ index, table: on, how: "ONLY" }));
    for (let round = 1; !(await this.isValid(index)); round++) {
      if (round > MAX_ROUNDS) throw new Error(`The index ${index} stays invalid although every partition has its own`);
      for (const partition of await this.partitionsWithout(index)) await this.buildAndAttach(partition);
    }
  }

  private async buildAndAttach(partition: string): Promise<void> {
    const { index } = this.step;
    const own = `${partition}_${index}`;
    await this.build(own, partition);
    await this.steps.transaction(
      `index ${own} becomes part of ${index}`,
      `ALTER INDEX ${this.schema}.${index} ATTACH PARTITION ${this.schema}.${own}`,
    );
  }

  private build(index: string, table: string): Promise<void> {
    if (index.length > LONGEST_NAME) throw new RangeError(`The index's name is longer than ${LONGEST_NAME}: ${index}`);
    return this.steps.patiently(`index ${index}`, async () => {
      for (let attempt = 1; !(await this.isValid(index)); attempt++) {
        if (attempt > MAX_ROUNDS) throw new Error(`The index ${index} was not valid ${MAX_ROUNDS} times`);
        await this.dropLeftover(index, table);
        const message = `The index ${index} is made; it waits for the transactions that are open now`;
        this.steps.tell("store.migrate.index", message, { index });
        await this.create(index, table);
      }
    });
  }

  private async create(index: string, table: string): Promise<void> {
    try {
      await this.steps.query(this.statement({ index, table, how: "CONCURRENTLY" }));
    } catch (error) {
      // Another run, whose lock was lost, makes this index too.
      if (sqlStateOf(error) !== DUPLICATE_TABLE) throw error;
    }
  }

  private async dropLeftover(index: string, table: string): Promise<void> {
    if ((await this.isValid(index)) === null) return;
    // A statement that makes an index holds this lock on its table until it ends.
    await this.steps.transaction(
      `index ${index}, which another run may be making`,
      `LOCK TABLE ${this.schema}.${table} IN SHARE UPDATE EXCLUSIVE MODE`,
    );
    if ((await this.isValid(index)) !== false) return;
    this.steps.tell("store.migrate.index", `The index ${index} of a run that was ended is dropped`, { index });
    await this.steps.query(`DROP INDEX CONCURRENTLY IF EXISTS ${this.schema}.${index}`);
  }

  /** Null: there is none. */
  private async isValid(index: string): Promise<boolean | null> {
    const [found] = await this.steps.query(
      `SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('${this.schema}.${index}')`,
    );
    return found ? (found.valid as boolean) : null;
  }

  private async partitionsWithout(index: string): Promise<string[]> {
    const rows = await this.steps.query(
      `SELECT c.relname AS name FROM pg_inherits t JOIN pg_class c ON c.oid = t.inhrelid
        WHERE t.inhparent = '${this.schema}.${this.step.on}'::regclass AND NOT EXISTS (
                SELECT FROM pg_inherits i JOIN pg_index x ON x.indexrelid = i.inhrelid
                 WHERE i.inhparent = '${this.schema}.${index}'::regclass AND x.indrelid = c.oid)
        ORDER BY c.relname`,
    );
    return rows.map(({ name }) => name as string);
  }

  private statement({ index, table, how }: { index: string; table: string; how: "ONLY" | "CONCURRENTLY" }): string {
    const { isUnique = false, as } = this.step;
    const [concurrently, only] = how === "ONLY" ? ["", "ONLY "] : ["CONCURRENTLY ", ""];
    return `CREATE ${isUnique ? "UNIQUE " : ""}INDEX ${concurrently}IF NOT EXISTS ${index} ON ${only}${this.schema}.${table} ${as}`;
  }
}
