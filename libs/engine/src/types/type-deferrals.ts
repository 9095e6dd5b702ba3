import type { EpochMs, TaskType, TypeDeferral, TypeId } from "@tickwheel/core";
import type { Health } from "@tickwheel/coordination";
import type { DbClock } from "../runtime/db-clock.js";
import type { SettingService } from "./setting-service.js";

const OPERATION = "deferring a type";
/** How people are told that a handler has paused its type. */
const ACTOR = "handler";

interface DeferralParts {
  dbClock: Pick<DbClock, "nowMs">;
  health: Pick<Health, "attempt">;
  service: Pick<SettingService, "begin">;
}

/** The pause that is asked for next; `until` by the database's clock. */
interface Wanted {
  until: EpochMs;
  reason: string | null;
}

/**
 * Pauses types whose handlers have asked for it (`ctx.defer`). Where handlers of a type have several wishes, the one
 * that ends last counts, and they are written one at a time: so a hundred handlers that are told to slow down together
 * write two or three rows, not a hundred. A wish that cannot be written is told by the node's health, and lost: its
 * task was put off all the same. Bounded by the types that exist.
 */
export class TypeDeferrals {
  private readonly waiting = new Map<TypeId, Wanted>();
  private readonly underWay = new Map<TypeId, Promise<void>>();

  constructor(private readonly parts: DeferralParts) {}

  ask({ id, namespace }: Pick<TaskType, "id" | "namespace">, { forMs, reason }: TypeDeferral): void {
    const until = Math.ceil(this.parts.dbClock.nowMs() + forMs);
    if ((this.waiting.get(id)?.until ?? -Infinity) < until) this.waiting.set(id, { until, reason });
    if (this.underWay.has(id)) return;
    const written = this.write(id, namespace).finally(() => this.underWay.delete(id));
    this.underWay.set(id, written);
  }

  private async write(typeId: TypeId, namespace: string): Promise<void> {
    const { health, service } = this.parts;
    for (let wanted = this.waiting.get(typeId); wanted; wanted = this.waiting.get(typeId)) {
      this.waiting.delete(typeId);
      const subject = { namespace, typeId, key: null };
      const change = { kind: "pause", actor: ACTOR, subject, ...wanted, isOnlyLater: true } as const;
      await health.attempt(
        OPERATION,
        () => service.begin(change),
        () => this.underWay.has(typeId),
      );
    }
  }
}
