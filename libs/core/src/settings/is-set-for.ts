import type { TypeId } from "../task/task.js";
import { isOwnType } from "./own-types.js";

/**
 * Whether what is set for a type, or for all types of a namespace, is about this type. A namespace's is not about the
 * scheduler's own types.
 */
export function isSetFor(
  set: { namespace: string; typeId: TypeId | null },
  { typeId, namespace, type }: { typeId: TypeId; namespace: string; type: string },
): boolean {
  if (set.typeId !== null) return set.typeId === typeId;
  return set.namespace === namespace && !isOwnType(type);
}
