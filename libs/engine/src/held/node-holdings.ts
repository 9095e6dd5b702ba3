import type { BootId, EpochMs, TypeId } from "@tickwheel/core";
import type { NodePhase, HealthPart } from "@tickwheel/coordination";
import type { ExecutionState } from "./executions.js";

/** What an engine holds in memory at one moment. */
export interface EngineHoldings {
  /** Tasks that it would wake up for: in the wheel and in the ready queue. */
  entries: readonly { taskId: string; dueAt: EpochMs }[];
  /** Tasks of the claim in flight. */
  claimsInFlight: readonly string[];
  /** Tasks whose claim got no answer, until a reconcile has looked. */
  claimsInDoubt: readonly string[];
  /** Executions until the store has acknowledged their end. */
  executions: readonly { id: string; fence: number; state: ExecutionState }[];
}

/** What a node holds and knows at one moment: a copy, for people and for tests. Cost: one pass over the wheel. */
export interface NodeHoldings extends EngineHoldings {
  /** Null: it has not joined. */
  bootId: BootId | null;
  /** Null: it has no engine, so it is no member of the cluster. */
  phase: NodePhase | null;
  /** Number of the newest view that it knows; 0: none. */
  view: number;
  /** The term that it leads; null: it does not lead. */
  term: number | null;
  /** Types that it can run. */
  typeIds: readonly TypeId[];
  /** What fails for it now. */
  degraded: readonly HealthPart[];
}

/** What a node without an engine holds. */
export const NOTHING_HELD: EngineHoldings = { entries: [], claimsInFlight: [], claimsInDoubt: [], executions: [] };
