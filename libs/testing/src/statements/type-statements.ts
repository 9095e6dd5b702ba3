import { type TaskType, typeQuotaReached } from "@tickwheel/core";
import type { CallSession } from "../database/memory-connection.js";
import type { StatementScope } from "../database/statement-scope.js";
import { ONLY_ROW, type TypeRow } from "../database/tables.js";

export type WantedType = Omit<TaskType, "id">;

/**
 * The type's number; a new type gets one if the quota has room. One transaction of a namespace at a time counts its
 * types.
 */
export function ensureType(session: CallSession, wanted: WantedType, quota = Infinity): Promise<TaskType> {
  const { namespace } = wanted;
  const lock = `types of ${namespace}`;
  return session.transaction(null, async (within) => {
    // This row stands for an advisory lock: others wait for it and never see it.
    await within.run((scope) =>
      scope.idempotency.insertOrLock(lock, { name: lock, bodyHash: "", at: scope.now, answers: null }),
    );
    const type = await within.run((scope) => findOrAdd(scope, wanted, quota));
    await within.run((scope) => scope.idempotency.put(lock, undefined));
    if (!type) throw typeQuotaReached(wanted, quota);
    return type;
  });
}

async function findOrAdd(scope: StatementScope, wanted: WantedType, quota: number): Promise<TaskType | null> {
  const { types, revisions, now } = scope;
  const { namespace, type, delivery } = wanted;
  const isWanted = (row: WantedType): boolean => row.namespace === namespace && row.type === type;
  const all = types.values();
  const known = all.find(isWanted);
  if (known && !known.isDropped) return taskTypeOf(known);
  if (all.filter((row) => row.namespace === namespace && !row.isDropped).length >= quota) return null;
  if (known) {
    types.put(String(known.id), { ...known, usedAt: now, isDropped: false });
    return taskTypeOf(known);
  }
  // A change of the namespace's settings locks its pull types: this one comes before the change, or sees it.
  if (delivery === "pull") await revisions.lock(ONLY_ROW, undefined, { mode: "share" });
  for (let id = all.length + 1; ; id++) {
    const row: TypeRow = { id, namespace, type, delivery, usedAt: now, isDropped: false };
    const other = await types.insertOrLock(String(id), row);
    if (!other) return taskTypeOf(row);
    if (isWanted(other)) return taskTypeOf(other);
  }
}

/** The types that are not dropped, and dropped ones that have scheduled tasks. */
export function listTypes({ types, tasks }: StatementScope): TaskType[] {
  const all = types.values();
  const dropped = new Set(all.filter(({ isDropped }) => isDropped).map(({ id }) => id));
  if (dropped.size > 0) {
    for (const { state, typeId } of tasks.values()) if (state === "scheduled") dropped.delete(typeId);
  }
  return all.filter(({ id }) => !dropped.has(id)).map(taskTypeOf);
}

function taskTypeOf({ id, namespace, type, delivery }: TypeRow): TaskType {
  return { id, namespace, type, delivery };
}
