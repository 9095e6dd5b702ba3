import { MAX_DEAD_GROUPS, printOf, type DeadGroup, type DeadGroupPage, type UnseenDeadGroup } from "@tickwheel/core";
import { type OperationScenes, startOperations } from "./operations.scene.js";
import { NAMESPACE, newTask } from "./postgres-store.scene.js";

/** Tasks that go together through a bulk. */
const BULK = 200;
const LIST = { namespace: NAMESPACE, types: [], reasons: [], error: null, since: null, limit: 100, after: null };

/** Tasks of a type of their own that die of errors which the test names, and the groups that are made of them. */
export class DeadLetterScenes {
  constructor(readonly its: OperationScenes) {}

  async another(): Promise<DeadLetterScenes> {
    return new DeadLetterScenes(await this.its.another());
  }

  get store() {
    return this.its.stores.deadLetters;
  }

  /** Makes a task die of each of these errors, in one statement for each bulk. */
  async died(errors: readonly string[]): Promise<string[]> {
    const { its } = this;
    const typeId = (await its.task()).typeId;
    const ids: string[] = [];
    for (let from = 0; from < errors.length; from += BULK) {
      const some = errors.slice(from, from + BULK);
      const tasks = some.map(() => newTask({ typeId, type: its.type }));
      await its.stores.tasks.create({ namespace: NAMESPACE, tasks });
      await this.die(
        tasks.map(({ id }) => id),
        some,
      );
      ids.push(...tasks.map(({ id }) => id));
    }
    return ids;
  }

  /** Tasks that wait die of these errors. */
  async die(ids: readonly string[], errors: readonly string[]): Promise<void> {
    const { its } = this;
    const claimed = await its.claim(ids);
    const errorOf = new Map(ids.map((id, at) => [id, errors[at]!]));
    await its.stores.tasks.settle(
      claimed.map(({ id, fence }) => ({
        kind: "dead" as const,
        id,
        owner: its.owner,
        fence,
        startedAt: Date.now(),
        reason: "NON_RETRYABLE" as const,
        error: errorOf.get(id)!,
      })),
    );
  }

  /** Folds until there is nothing more to fold. */
  async fold(): Promise<void> {
    while (await this.store.fold());
  }

  list(wish: Partial<Parameters<typeof this.store.list>[0]> = {}): Promise<DeadGroupPage> {
    return this.store.list({ ...LIST, types: [this.its.type], ...wish });
  }

  /** The groups as `title: count`, once all is folded; those with the most tasks first. */
  async groups(): Promise<string[]> {
    await this.fold();
    return (await this.list()).groups.map(({ title, count }) => `${title}: ${count}`);
  }

  async group(error: string): Promise<DeadGroup | undefined> {
    const { groups } = await this.list();
    return groups.find(({ print }) => print === printOf(error).print);
  }

  get(error: string, keptMs = 1_000) {
    return this.store.get({ namespace: NAMESPACE, type: this.its.type, print: printOf(error).print, keptMs });
  }

  see(error: string, namespace = NAMESPACE) {
    return this.store.see({ namespace, type: this.its.type, print: printOf(error).print, keptMs: 1_000 }, "test");
  }

  /** What the audit tells of groups of the type, the oldest first. */
  audited(): Promise<Record<string, unknown>[]> {
    const target = `dead_group:${this.its.type}/%`;
    return this.its.query("SELECT * FROM tickwheel.audit WHERE target LIKE $1 ORDER BY at, id", [target]);
  }

  /** The causes of the type that nobody has looked at. */
  async unseen(): Promise<UnseenDeadGroup[]> {
    const all = (await this.store.unseen()).flatMap(({ groups }) => groups);
    return all.filter(({ type }) => type === this.its.type);
  }

  /**
   * The groups that do not have as many tasks as are dead, which must be none: those of a cause as many as have its
   * print, the others as many as have no group.
   */
  async wrong(): Promise<Record<string, unknown>[]> {
    await this.fold();
    return this.its.query(
      `WITH grouped AS (SELECT * FROM tickwheel.dead_group), dead AS (
         SELECT t.type_id, coalesce(g.print, 0) AS print, count(*) AS count FROM tickwheel.task t
           LEFT JOIN grouped g ON g.type_id = t.type_id AND g.print = t.error_print WHERE t.state = 3 GROUP BY 1, 2)
       SELECT type_id, print::text, g.count AS told, d.count AS dead FROM grouped g FULL JOIN dead d USING (type_id, print)
        WHERE g.count IS DISTINCT FROM d.count`,
    );
  }

  /** How many deaths the hours tell of the type. */
  async deaths(): Promise<number> {
    const [row] = await this.its.query(
      "SELECT coalesce(sum(deaths), 0)::integer AS deaths FROM tickwheel.dead_hour h JOIN tickwheel.type y ON y.id = h.type_id WHERE y.type = $1",
      [this.its.type],
    );
    return row!.deaths as number;
  }
}

/** As many causes as are asked for, each with words of its own. */
export function causes(count: number): string[] {
  const letter = (at: number): string => String.fromCharCode(97 + (at % 26));
  return Array.from({ length: count }, (_, at) => `Error: cause ${letter(at / 676)}${letter(at / 26)}${letter(at)}`);
}

export const TOO_MANY_CAUSES = MAX_DEAD_GROUPS + 1;

export async function startDeadLetters() {
  const { scene, stores, operations, stop } = await startOperations();
  return { scene, stores, dead: new DeadLetterScenes(operations), stop };
}
