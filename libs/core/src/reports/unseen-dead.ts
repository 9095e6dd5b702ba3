import type { EpochMs, TypeId } from "../task/task.js";

/** A reading tells of so many causes of a namespace at most; the others are counted. */
export const MAX_TOLD_UNSEEN = 20;
/** A reading looks at so many causes of a type at most. */
export const MAX_LOOKED_UNSEEN = 100;
/** A reading tells of so many namespaces at most. */
export const MAX_UNSEEN_NAMESPACES = 50;

/** A cause of dead tasks of which a task died since somebody looked at it last. */
export interface UnseenDeadGroup {
  typeId: TypeId;
  type: string;
  print: number;
  title: string;
  /** Its dead tasks. */
  count: number;
  lastAt: EpochMs;
  /** When somebody looked last; null: nobody has. */
  seenAt: EpochMs | null;
}

/**
 * The causes of dead tasks of one namespace that nobody has looked at since a task died of them. Causes that are
 * counted together, because their type has too many, are left out.
 */
export interface UnseenDead {
  namespace: string;
  count: number;
  /** A type has more than {@link MAX_LOOKED_UNSEEN} of them. */
  isAtLeast: boolean;
  /**
   * At most {@link MAX_TOLD_UNSEEN}: those whose first task died last, so what is told does not change with each death.
   */
  groups: readonly UnseenDeadGroup[];
}
