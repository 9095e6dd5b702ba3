import type { ClaimReply, ClaimRequest, LimitStore, TypeId } from "@tickwheel/core";
import type { Capacity } from "../held/capacity.js";
import type { ClaimRounds } from "../limits/claim-rounds.js";
import type { EngineContext } from "../runtime/engine-context.js";
import type { LimitsOfType } from "../types/limits-in-force.js";
import type { FoundTask } from "../waiting/found-task.js";
import type { ReadyQueue } from "../waiting/ready-queue.js";
import type { Batch, ClaimAnswer, ClaimWay } from "./claim-way.js";

interface LimitedClaimParts {
  store: Pick<LimitStore, "claimLimited">;
  ready: Pick<ReadyQueue, "peek" | "take" | "push">;
  capacity: Pick<Capacity, "isOpen" | "take" | "giveBack">;
  limitsOf: (typeId: TypeId) => LimitsOfType;
  rounds: ClaimRounds;
}

const NOTHING: ClaimReply = { fenced: false, tasks: [] };

/**
 * [never-above-the-limit]: claims of types of which only so many tasks may run in the whole cluster, one type at a
 * time. All nodes have the oldest tasks in their queues, so most ids of a claim may be gone: it names more than it
 * wants, and takes places of this node for as many as it wants.
 */
export class LimitedClaims implements ClaimWay {
  readonly part = "engine.limited_claim";
  readonly isMain = false;

  constructor(
    private readonly context: Pick<EngineContext, "meters">,
    private readonly parts: LimitedClaimParts,
  ) {}

  peek(): FoundTask | undefined {
    const { ready, capacity, rounds, limitsOf } = this.parts;
    return ready.peek(
      (typeId) => limitsOf(typeId).counted.length > 0 && rounds.isOpen(typeId) && capacity.isOpen(typeId),
    );
  }

  select(size: number): Batch {
    const { ready } = this.parts;
    const first = this.peek();
    if (!first) return { tasks: [], most: 0 };
    const tasks: FoundTask[] = [];
    for (let task: FoundTask | undefined = first; task && tasks.length < size;) {
      ready.take(task);
      tasks.push(task);
      task = ready.peek((typeId) => typeId === first.typeId);
    }
    return { tasks, most: this.takePlaces(first.typeId, tasks.length) };
  }

  async claim(request: ClaimRequest, batch: Batch): Promise<ClaimAnswer> {
    const { store, limitsOf, rounds } = this.parts;
    const { tasks, most } = batch;
    const { typeId } = tasks[0]!;
    const { counted } = limitsOf(typeId);
    // Its limits were taken away since: it goes the other way.
    if (counted.length === 0) return { reply: NOTHING, left: tasks };
    const reply = await store.claimLimited({ ...request, limitIds: counted, most });
    if (reply.outcome === "taken") {
      rounds.wasTaken(typeId);
      this.context.meters.limitedClaim("taken");
      return { reply: NOTHING, left: tasks };
    }
    const { outcome: _answered, places, full, ...answer } = reply;
    const left = leftBy(batch, answer, Math.min(places, most));
    rounds.wereFull(full);
    this.context.meters.limitedClaim(left.length > 0 && places <= most ? "full" : "claimed");
    return { reply: answer, left };
  }

  /** Tasks without a place go back into the queue. */
  split({ tasks, most }: Batch): Batch[] {
    const { ready } = this.parts;
    const first = tasks.slice(0, tasks.length >> 1);
    const second = tasks.slice(tasks.length >> 1);
    const firstMost = Math.min(most, first.length);
    const halves = [{ tasks: first, most: firstMost }];
    if (most > firstMost) return [...halves, { tasks: second, most: most - firstMost }];
    for (const task of second) ready.push(task, task.readyMonoMs);
    return halves;
  }

  keepPlaces({ tasks, most }: Batch, claimed: ReadonlyMap<string, TypeId>): void {
    const { capacity } = this.parts;
    const { typeId } = tasks[0]!;
    let kept = 0;
    for (const real of claimed.values()) {
      if (real === typeId) kept++;
      else capacity.take(real);
    }
    for (let place = kept; place < most; place++) capacity.giveBack(typeId);
  }

  giveBackPlaces({ tasks, most }: Batch): void {
    for (let place = 0; place < most; place++) this.parts.capacity.giveBack(tasks[0]!.typeId);
  }

  /** Takes as many places as are wanted, at most as many as there is room for here and in the cluster. */
  private takePlaces(typeId: TypeId, wanted: number): number {
    const { capacity, limitsOf } = this.parts;
    const most = Math.min(wanted, limitsOf(typeId).maxRunning);
    let taken = 0;
    for (; taken < most && capacity.isOpen(typeId); taken++) capacity.take(typeId);
    return taken;
  }
}

/** Once a claim has all the places that it could have, it has not looked at the tasks behind. */
function leftBy({ tasks }: Batch, { tasks: claimed }: ClaimReply, places: number): readonly FoundTask[] {
  if (claimed.length < places) return [];
  const ids = new Set(claimed.map(({ id }) => id));
  return tasks.slice(tasks.findLastIndex(({ id }) => ids.has(id)) + 1);
}
