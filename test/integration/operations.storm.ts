import type { OperationAction } from "@tickwheel/core";
import type { UndoScenes } from "./operations.undo.scene.js";
import { NAMESPACE } from "./postgres-store.scene.js";

const OPERATED: readonly OperationAction[] = ["cancel", "retry", "pause", "resume", "discard"];
const PAGE = 37;
const PAGES = 6;

/** A trigger that refuses what no change of a task may do: a version or a fence never falls. */
const NEVER_BACK = `
  CREATE OR REPLACE FUNCTION tickwheel.never_back() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE 'version % to %, fence % to %', OLD.version, NEW.version, OLD.fence, NEW.fence; END $$;
  CREATE OR REPLACE TRIGGER never_back BEFORE UPDATE ON tickwheel.task FOR EACH ROW
    WHEN (NEW.version < OLD.version OR NEW.fence < OLD.fence) EXECUTE FUNCTION tickwheel.never_back()`;

/** Changes these tasks in all ways at once for so long, then lets every operation end. */
export async function storm(
  undo: UndoScenes,
  ids: readonly string[],
  forMs: number,
): Promise<{ errors: string[]; changes: number }> {
  const { its } = undo;
  const endMonoMs = performance.now() + forMs;
  const errors = new Set<string>();
  const operations: string[] = [];
  await its.query(NEVER_BACK);
  const loop = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    while (performance.now() < endMonoMs)
      await work().catch((error: unknown) => errors.add(`${name}: ${String(error)}`));
  };
  const some = (count: number): string[] =>
    Array.from({ length: count }, () => ids[Math.floor(Math.random() * ids.length)]!);
  await Promise.all([
    ...OPERATED.map((action) => loop(action, () => operate(undo, action, operations))),
    loop("claims", () => (Math.random() < 0.3 ? its.kill(some(20)) : its.succeed(some(20)))),
    loop("creates", () => createAgain(undo, some(5))),
  ]);
  for (const id of operations) await its.carryOut({ id }, PAGE);
  const [row] = await its.query(
    "SELECT coalesce(sum(changed + undone), 0)::float8 AS changes FROM tickwheel.operation WHERE id = ANY ($1)",
    [operations],
  );
  return { errors: [...errors], changes: row!.changes as number };
}

/** Some pages of an operation, and of its undo. */
async function operate(undo: UndoScenes, action: OperationAction, operations: string[]): Promise<void> {
  const { its } = undo;
  const operation = await its.start({ action });
  operations.push(operation.id);
  for (let page = 0; page < PAGES; page++) await pageNow(undo, operation.id);
  await undo.begin(operation, Math.random() < 0.5 ? "run" : "leave");
  for (let page = 0; page < PAGES; page++) await pageNow(undo, operation.id);
}

async function pageNow({ its }: UndoScenes, id: string): Promise<void> {
  await its.query("UPDATE tickwheel.operation SET next_at = now() WHERE id = $1", [id]);
  await its.page({ id }, PAGE);
}

/** Makes tasks with the keys of others; a live one keeps its own. */
async function createAgain({ its }: UndoScenes, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const task = await its.stores.tasks.get(NAMESPACE, id);
    if (task?.key) await its.task({ key: task.key, onConflict: "return" });
  }
}
