import type { HistoryEvent, NodeEvent, RowChanged } from "./history-event.js";
import type { Account, Execution } from "./task-history.js";

/** Two crashes of any kind make a suspect. */
const SUSPECT_AFTER_CRASHES = 2;

type NodeEvents = ReadonlyMap<string, readonly NodeEvent[]>;

/** The changes of an account by which a node was lost to it whose last beat told a blocked loop. */
export function blockedKillsOf({ changes }: Account, nodeEvents: NodeEvents): RowChanged[] {
  const wasBlocked = (owner: string | null | undefined): boolean =>
    (nodeEvents.get(owner ?? "") ?? []).some(({ kind, wasBlocked: told }) => kind === "declared-dead" && told === true);
  return changes.filter(({ statement, before }) => statement === "reap" && wasBlocked(before?.owner));
}

/** The executions of suspects that were started, by their starts. */
export function suspectExecutions(accounts: readonly Account[], nodeEvents: NodeEvents): Execution[] {
  const started = accounts.flatMap((account) => {
    const executions = account.executions.filter(({ starts, claims }) => starts.length > 0 && claims.length > 0);
    if (!executions.some(({ claims }) => claims[0]!.after!.crashCount > 0)) return [];
    const kills = blockedKillsOf(account, nodeEvents);
    return executions.filter(({ claims: [claim] }) => {
      if (claim!.after!.crashCount >= SUSPECT_AFTER_CRASHES) return true;
      return kills.some(({ after }) => after!.fence < claim!.after!.fence);
    });
  });
  return started.sort((one, other) => one.starts[0]!.monoMs - other.starts[0]!.monoMs);
}

/** When an execution was over for its task, or for its node, whichever came first; Infinity: never. */
export function overMonoMs({ exit, end, aborts }: Execution): number {
  return Math.min(...[exit, end, ...aborts].map((event: HistoryEvent | null) => event?.monoMs ?? Infinity));
}
