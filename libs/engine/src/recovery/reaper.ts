import {
  type BootId,
  type Leadership,
  MAX_EVENT_NAMES,
  type Pulse,
  type ReapedTask,
  type TaskHint,
} from "@tickwheel/core";
import { cureOfDead, shownTask } from "../ending/failure-lines.js";
import type { EngineContext } from "../runtime/engine-context.js";
import { PulsedService } from "../runtime/pulsed-service.js";
import type { TypeDirectory } from "../types/type-directory.js";

const REAP_INTERVAL_MS = 1_000;

interface ReaperParts {
  /** Null while this node does not lead. */
  leadership: () => Leadership | null;
  publish: (hints: TaskHint[]) => void;
  types: Pick<TypeDirectory, "get">;
}

/**
 * [no-orphan]: while this node leads, takes back the running tasks of dead and gone nodes, in batches: at each death
 * and each second, without end. Their owners get hints at once. A task that has crashed `maxCrashes` nodes ends dead
 * [poison-stops]. The store takes nothing back once another node holds the term [one-term].
 */
export class Reaper extends PulsedService {
  constructor(
    private readonly context: EngineContext,
    private readonly parts: ReaperParts,
  ) {
    super("reap", context);
  }

  async runOnce(): Promise<void> {
    if (!this.parts.leadership()) return;
    const owners = await this.context.tasks.deadOwners();
    if (owners.length === 0) return;
    const { maxCrashes, upkeepBatchSize: limit } = this.context.options;
    let total = 0;
    let dead = 0;
    let count = limit;
    for (let leader = this.parts.leadership(); leader && count === limit; leader = this.parts.leadership()) {
      const reaped = await this.context.tasks.reap({ leader, owners, maxCrashes, limit });
      this.parts.publish(reaped.filter(({ state }) => state === "scheduled").map(({ hint }) => hint));
      const crashed = reaped.filter(({ state }) => state === "dead");
      for (const task of crashed) this.tellDead(task);
      this.context.meters.tookBack(reaped.length - crashed.length);
      dead += crashed.length;
      count = reaped.length;
      total += count;
    }
    if (total > 0) this.report(owners, total, dead);
  }

  protected everyMs(): number {
    return REAP_INTERVAL_MS;
  }

  /** Null: the pulse was asked before this node led. */
  protected mayFind({ deadOwners }: Pulse): boolean {
    return deadOwners ?? true;
  }

  private tellDead({ hint: { id, typeId }, key, lastError }: ReapedTask): void {
    const { namespace, type } = this.parts.types.get(typeId) ?? {};
    this.context.meters.types.of(typeId).crashed++;
    const cure = cureOfDead(id, "CRASHES");
    this.context.telemetry.emit({
      name: "task.dead",
      level: "error",
      message: `${type ?? "a task"} ${shownTask(id, key)} was running when its nodes died, and is dead (CRASHES): ${cure}`,
      facts: { id, namespace, type, key, reason: "CRASHES", cure },
      error: lastError,
    });
  }

  private report(owners: readonly BootId[], tasks: number, dead: number): void {
    const nodes = owners.length;
    const bootId = nodes === 1 ? owners[0]! : null;
    const facts = { nodes: owners.slice(0, MAX_EVENT_NAMES), tasks, dead };
    this.context.events?.add({ kind: "REAPED", bootId, facts });
    this.context.telemetry.emit({
      name: "engine.reap.done",
      level: "warn",
      message: `${tasks} running tasks of ${nodes} dead nodes were taken back`,
      facts: { nodes, tasks },
    });
  }
}
