import type { BootId, TypeId, TypePolicy } from "../task/task.js";

/** A handler's policy, as a node announces it. */
export interface AnnouncedPolicy {
  typeId: TypeId;
  policy: TypePolicy;
}

/** A type whose live nodes announce different policies. */
export interface PolicyConflict {
  typeId: TypeId;
  namespace: string;
  type: string;
  /** Labels of the nodes that announce another policy than the one in force. */
  others: string[];
}

/** Policies of types: announced by the nodes that run them, one of them in force for all who create tasks. */
export interface PolicyStore {
  /** Takes the place of what this node announced before. A type that has no policy yet has this one from now on. */
  announce(bootId: BootId, policies: readonly AnnouncedPolicy[]): Promise<void>;
  /**
   * Puts in force, for each type, what the node announces that joined last among those that have been live for at least
   * `settledMs`; without such a node, what is in force stays. Forgets what dead nodes announced.
   */
  settle(settledMs: number): Promise<void>;
  conflicts(): Promise<PolicyConflict[]>;
}
