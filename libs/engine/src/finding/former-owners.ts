import { type BootId, type Clock, type EpochMs, slotOfId, type TakenFrom, type TypeId } from "@tickwheel/core";
import type { Ownership } from "@tickwheel/coordination";
import type { NodeMeters } from "../counting/node-meters.js";
import type { DbClock } from "../runtime/db-clock.js";

/** How many nodes that left the view are remembered, and for how long. */
const MAX_DEPARTURES = 16;
const REMEMBERED_MS = 600_000;
/** A beat that is older than this many intervals has been missed. */
const MISSED_BEATS = 1.5;

/** What it needs of its node. */
interface Context {
  clock: Pick<Clock, "monotonicMs">;
  dbClock: Pick<DbClock, "nowMs">;
  options: { heartbeatIntervalMs: number };
  meters: Pick<NodeMeters, "tookOver">;
}
interface Member {
  bootId: BootId | null;
  ownership(): Ownership;
  beats: {
    /** How long a node's beat has stood still, in milliseconds; null: it is not seen. */
    beatAgeMs(bootId: BootId): number | null;
  };
}

/** A node that has left the view, and the ownership up to then. */
interface Departure {
  bootId: BootId;
  before: Ownership;
  leftMonoMs: number;
  takenFrom: TakenFrom;
}

/** A task whose start was late. */
export interface LateTask {
  id: string;
  typeId: TypeId;
  /** The later of due and created. */
  dueAt: EpochMs;
  /** Since when this node has known of it. */
  knownAt: EpochMs;
  /** This node took it from its owner, because it was overdue. */
  isStolen: boolean;
}

/**
 * From which node a late task was taken over: the owner by the view that held when it became due, if that node has left
 * the view since, or the present owner, if the task was stolen. For the record only: nothing depends on it. Bounded by
 * {@link MAX_DEPARTURES}.
 */
export class FormerOwners {
  private departures: Departure[] = [];
  private last: Ownership | null = null;

  constructor(
    private readonly context: Context,
    private readonly member: Member,
  ) {}

  viewChanged(ownership: Ownership): void {
    const before = this.last;
    this.last = ownership;
    if (before === null) return;
    const { clock, dbClock, meters } = this.context;
    const present = new Set(ownership.nodes.map(({ bootId }) => bootId));
    for (const { bootId, label } of before.nodes) {
      if (present.has(bootId) || bootId === this.member.bootId) continue;
      const takenFrom = {
        node: label,
        silentSince: this.silentSince(bootId),
        takenOverAt: Math.floor(dbClock.nowMs()),
      };
      const { silentSince, takenOverAt } = takenFrom;
      if (silentSince !== null) meters.tookOver(takenOverAt - silentSince);
      this.departures.push({ bootId, before, leftMonoMs: clock.monotonicMs(), takenFrom });
    }
    this.departures = this.departures.slice(-MAX_DEPARTURES);
  }

  /** Whether a node that left the view was silent then, by this node's sight of its beats. */
  fellSilent(bootId: BootId): boolean {
    return this.departures.some((left) => left.bootId === bootId && left.takenFrom.silentSince !== null);
  }

  /** Null: this node was its owner when it became due, or the owner is not known. */
  takenFrom(task: LateTask): TakenFrom | null {
    if (task.isStolen) return this.stolenFrom(task);
    const sinceMonoMs = this.context.clock.monotonicMs() - REMEMBERED_MS;
    const slot = slotOfId(task.id);
    const left = this.departures.find(
      ({ bootId, before, leftMonoMs, takenFrom }) =>
        leftMonoMs >= sinceMonoMs &&
        task.dueAt <= takenFrom.takenOverAt &&
        before.ownerOf(task.typeId, slot) === bootId,
    );
    return left?.takenFrom ?? null;
  }

  private stolenFrom({ id, typeId, knownAt }: LateTask): TakenFrom | null {
    const ownership = this.member.ownership();
    const owner = ownership.nodes.find(({ bootId }) => bootId === ownership.ownerOf(typeId, slotOfId(id)));
    if (!owner || owner.bootId === this.member.bootId) return null;
    return { node: owner.label, silentSince: this.silentSince(owner.bootId), takenOverAt: Math.floor(knownAt) };
  }

  private silentSince(bootId: BootId): EpochMs | null {
    const { dbClock, options } = this.context;
    const ageMs = this.member.beats.beatAgeMs(bootId);
    return ageMs === null || ageMs < MISSED_BEATS * options.heartbeatIntervalMs
      ? null
      : Math.floor(dbClock.nowMs() - ageMs);
  }
}
