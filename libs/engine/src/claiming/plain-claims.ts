import type { ClaimRequest, TypeId } from "@tickwheel/core";
import type { Capacity } from "../held/capacity.js";
import type { EngineContext } from "../runtime/engine-context.js";
import type { FoundTask } from "../waiting/found-task.js";
import type { ReadyQueue } from "../waiting/ready-queue.js";
import type { Batch, ClaimAnswer, ClaimWay } from "./claim-way.js";

interface PlainClaimParts {
  ready: Pick<ReadyQueue, "peek" | "take">;
  capacity: Pick<Capacity, "isOpen" | "hasRoomAhead" | "take" | "giveBack">;
  /** Whether claims of this type take places in the whole cluster: these go another way. */
  isCounted: (typeId: TypeId) => boolean;
}

/** Claims of tasks of any types, by one statement. A place of each task's type is taken when it is selected. */
export class PlainClaims implements ClaimWay {
  readonly part = "engine.claim";
  readonly isMain = true;

  constructor(
    private readonly context: Pick<EngineContext, "dbClock" | "tasks">,
    private readonly parts: PlainClaimParts,
  ) {}

  peek(): FoundTask | undefined {
    const { ready, capacity, isCounted } = this.parts;
    return ready.peek((typeId) => !isCounted(typeId) && capacity.isOpen(typeId));
  }

  select(size: number): Batch {
    const { ready, capacity } = this.parts;
    const tasks: FoundTask[] = [];
    const dbNow = this.context.dbClock.nowMs();
    while (tasks.length < size) {
      const task = this.peek();
      if (!task || (task.dueAt > dbNow && !capacity.hasRoomAhead)) break;
      ready.take(task);
      tasks.push(task);
      capacity.take(task.typeId);
    }
    return batchOf(tasks);
  }

  async claim(request: ClaimRequest): Promise<ClaimAnswer> {
    return { reply: await this.context.tasks.claim(request), left: [] };
  }

  split({ tasks }: Batch): Batch[] {
    const middle = tasks.length >> 1;
    return [batchOf(tasks.slice(0, middle)), batchOf(tasks.slice(middle))];
  }

  /** The row decides the task's type: if this node knew it under another one, the place moves to the real one. */
  keepPlaces({ tasks }: Batch, claimed: ReadonlyMap<string, TypeId>): void {
    for (const { id, typeId: promised } of tasks) {
      const typeId = claimed.get(id);
      if (typeId === promised) continue;
      if (typeId !== undefined) this.parts.capacity.take(typeId);
      this.parts.capacity.giveBack(promised);
    }
  }

  giveBackPlaces({ tasks }: Batch): void {
    for (const { typeId } of tasks) this.parts.capacity.giveBack(typeId);
  }
}

function batchOf(tasks: readonly FoundTask[]): Batch {
  return { tasks, most: tasks.length };
}
