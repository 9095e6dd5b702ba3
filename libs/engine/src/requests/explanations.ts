import { type Because, becauseOf, type Clock, type Halts, type Runners, type Task, type TypeId } from "@tickwheel/core";
import type { Ownership } from "@tickwheel/coordination";
import type { DbClock } from "../runtime/db-clock.js";
import type { ClusterReport, WaitingFor } from "./requests.js";
import { CONSUMERS, lastRunnerOf, placesOn, RecentReport, runnersIn } from "./runners.js";
import { haltedBy, waitingFor } from "./waiting-for.js";

interface ExplanationSources {
  clock: Clock;
  dbClock: Pick<DbClock, "nowMs">;
  types: { isPulled(typeId: TypeId): boolean };
  ownership(): Ownership;
  /** What keeps a due task from starting, whatever room there is. */
  haltsOf(task: Pick<Task, "typeId" | "key">): Halts;
  report(): Promise<ClusterReport>;
}

/** Why tasks stand as they do, by what this node knows of the cluster. */
export class Explanations {
  private readonly recentReport: RecentReport;

  constructor(private readonly sources: ExplanationSources) {
    this.recentReport = new RecentReport(sources.clock, () => sources.report());
  }

  /** Null: there is nothing to explain. */
  waitingFor(task: Task): WaitingFor | null {
    const { sources } = this;
    const known = { nodes: sources.ownership().nodes, isPulled: sources.types.isPulled(task.typeId) };
    return waitingFor(task, { ...known, ...haltedBy(sources.haltsOf(task)) }, sources.dbClock.nowMs());
  }

  async because(task: Task): Promise<Because> {
    const now = this.sources.dbClock.nowMs();
    return becauseOf(task, { ...(await this.runnersFor(task, now)), ...this.sources.haltsOf(task) }, now);
  }

  /** The cluster's report is read only where a task waits that is due, or that no node could run. */
  private async runnersFor(task: Task, now: number): Promise<Runners> {
    if (this.sources.types.isPulled(task.typeId)) return CONSUMERS;
    const runners = runnersIn(this.sources.ownership(), task.typeId);
    const known = { count: runners.length, inUse: 0, places: 0, last: null };
    if (task.state !== "scheduled") return known;
    if (runners.length === 0) return { ...known, last: lastRunnerOf(task.type, await this.recentReport.get()) };
    return task.dueAt <= now ? placesOn(runners, await this.recentReport.get()) : known;
  }
}
