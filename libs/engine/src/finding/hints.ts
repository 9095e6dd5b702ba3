import type { BootId, Coordination, TaskHint } from "@tickwheel/core";
import type { Membership } from "@tickwheel/coordination";
import type { EngineContext } from "../runtime/engine-context.js";
import { hasRoom, messageOf, routeHints } from "./hint-routes.js";

/** Changes are gathered for this long, so that a burst becomes one message to each owner. */
const GATHER_MS = 2;

interface HintParts {
  coordination: Coordination;
  membership: Pick<Membership, "bootId" | "ownership">;
  /** Takes those about tasks that consumers fetch, and gives the others back. Default: there are no consumers. */
  pulled?: ((hints: readonly TaskHint[]) => readonly TaskHint[]) | undefined;
  /** Receives the tasks that this node should wake up for itself. */
  keep: (hints: TaskHint[]) => void;
}

/**
 * Sends a hint to the owner of a task whose due time was set, after the commit that set it. This node keeps hints
 * of its own tasks and of those without an owner; the other owners get one message each. Never fails: a lost hint costs
 * lateness until the next sweep.
 */
export class Hints {
  private readonly outbox = new Map<BootId, TaskHint[]>();
  private isFlushing = false;

  constructor(
    private readonly context: Pick<EngineContext, "clock" | "dbClock" | "options">,
    private readonly parts: HintParts,
  ) {}

  /** Tasks whose due time was set by a write that is committed. */
  publish(hints: readonly TaskHint[]): void {
    const { membership, keep, pulled } = this.parts;
    const { own, others } = routeHints(pulled ? pulled(hints) : hints, {
      ownership: membership.ownership(),
      self: membership.bootId,
      horizonAt: this.context.dbClock.nowMs() + this.context.options.horizonMs,
    });
    for (const [owner, posted] of others) this.post(owner, posted);
    if (own.length > 0) keep(own);
    if (this.outbox.size > 0) this.flushSoon();
  }

  /** Tells a node about a cancel request for a task that it runs. */
  async cancelRunning(owner: BootId, ref: { id: string; fence: number }): Promise<void> {
    await this.parts.coordination.send(owner, { kind: "cancel", id: ref.id, fence: ref.fence });
  }

  private post(owner: BootId, hints: readonly TaskHint[]): void {
    const posted = this.outbox.get(owner) ?? [];
    this.outbox.set(owner, posted);
    for (const hint of hints) if (hasRoom(posted)) posted.push(hint);
  }

  private flushSoon(): void {
    if (this.isFlushing) return;
    this.isFlushing = true;
    this.context.clock.setTimer(GATHER_MS, () => void this.flush());
  }

  private async flush(): Promise<void> {
    const letters = [...this.outbox];
    this.outbox.clear();
    this.isFlushing = false;
    const { coordination } = this.parts;
    await Promise.all(letters.map(([owner, hints]) => coordination.send(owner, messageOf(hints))));
  }
}
