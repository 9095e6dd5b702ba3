import { type BootId, type Coordination, type TaskHint, slotOfId } from "@tickwheel/core";
import type { Membership } from "@tickwheel/coordination";
import type { EngineContext } from "./engine-context.js";

/** Changes are gathered for so long, so that a burst becomes one message to each owner. */
const GATHER_MS = 2;
/** More than this to one owner becomes the message "load". */
const MAX_HINTS_PER_MESSAGE = 500;

interface HintParts {
  coordination: Coordination;
  membership: Pick<Membership, "bootId" | "ownership">;
  /** Takes what this node should wake up for itself. */
  keep: (hints: TaskHint[]) => void;
}

/**
 * L1: tells whoever owns a task that its due time was set, after the commit that set it. What is this node's own, or nobody's, it
 * keeps; the rest goes to the owners, one message each. Never fails: a hint that is lost costs lateness until the next sweep.
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
    const { membership, keep } = this.parts;
    const horizonAt = this.context.dbClock.nowMs() + this.context.options.horizonMs;
    const ownership = membership.ownership();
    const own: TaskHint[] = [];
    for (const hint of hints) {
      if (hint.dueAt > horizonAt) continue;
      const owner = ownership.ownerOf(hint.typeId, slotOfId(hint.id));
      if (owner === null || owner === membership.bootId) own.push(hint);
      else this.post(owner, hint);
    }
    if (own.length > 0) keep(own);
    if (this.outbox.size > 0) this.flushSoon();
  }

  /** Tells a node that somebody asked to cancel what it runs. */
  async cancelRunning(owner: BootId, ref: { id: string; fence: number }): Promise<void> {
    await this.parts.coordination.send(owner, { kind: "cancel", id: ref.id, fence: ref.fence });
  }

  private post(owner: BootId, hint: TaskHint): void {
    const posted = this.outbox.get(owner);
    if (!posted) this.outbox.set(owner, [hint]);
    else if (posted.length <= MAX_HINTS_PER_MESSAGE) posted.push(hint);
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
    await Promise.all(letters.map(([owner, hints]) => this.send(owner, hints)));
  }

  private send(owner: BootId, hints: TaskHint[]): Promise<boolean> {
    const isTooLong = hints.length > MAX_HINTS_PER_MESSAGE;
    return this.parts.coordination.send(owner, isTooLong ? { kind: "load" } : { kind: "hints", hints });
  }
}
