import type { Pulse, PulseRequest, PulseStore } from "@tickwheel/core";
import type { MemoryConnection } from "../database/memory-connection.js";
import type { StatementScope } from "../database/statement-scope.js";
import { isForHistory } from "../statements/retention-statements.js";
import { isDueSchedule } from "./memory-schedule-store.js";
import { deadOwners } from "../statements/due-statements.js";
import { isLate } from "../statements/execution-statements.js";

/**
 * A {@link PulseStore} in memory: one node's view of a `MemoryDatabase`. There are no batches, no operations and no
 * tallies of deaths in memory, so it never tells of any.
 */
export class MemoryPulseStore implements PulseStore {
  constructor(private readonly connection: MemoryConnection) {}

  pulse(request: PulseRequest): Promise<Pulse> {
    return this.connection.call({ statement: "pulse", request }, (session) =>
      session.run((scope) => Promise.resolve(pulseOf(scope, request))),
    );
  }
}

function pulseOf(scope: StatementScope, { expiring, asksOwners }: PulseRequest): Pulse {
  const { tasks, schedules, timeline, now } = scope;
  return {
    timeline: String(timeline),
    endedTasks: tasks.values().some(isForHistory),
    lateTasks: tasks.values().some((row) => isLate(row, { typeIds: expiring, now })),
    deadOwners: asksOwners ? deadOwners(scope).length > 0 : null,
    dueSchedules: schedules.values().some((row) => isDueSchedule(row, now)),
    deadTallies: false,
    batchTallies: false,
    openBatches: false,
    dueOperations: false,
  };
}
