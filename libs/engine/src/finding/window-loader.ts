import { type HintCursor, slotOfId, type TaskHint, type TypeId, type TypeScope, wait } from "@tickwheel/core";
import type { Membership, Ownership } from "@tickwheel/coordination";
import type { DueEntries } from "../waiting/due-entries.js";
import { byWheel, type DueFeed } from "../waiting/due-feed.js";
import type { EngineContext } from "../runtime/engine-context.js";
import { atLoad, NO_VIEW_LOADED } from "./foreign-entries.js";
import type { OccupiedTypes } from "../types/occupied-types.js";
import { PeriodicService } from "../runtime/periodic-service.js";
import type { FormerOwners } from "./former-owners.js";
import { type Gain, gainOf } from "./takeover.js";
import { windowStart } from "./window-start.js";

/**
 * Small pages with a pause after each: a window of many thousands must not hold up the tasks that are due meanwhile.
 */
const PAGE_SIZE = 1_000;
const PAUSE_MS = 5;

interface LoaderParts {
  membership: Pick<Membership, "bootId" | "ownership">;
  formerOwners: Pick<FormerOwners, "fellSilent">;
  types: Pick<OccupiedTypes, "runnable">;
  entries: DueEntries;
  feed: DueFeed;
}

/**
 * Each `reloadIntervalMs`, and at once on a new view, reads what this node owns and is due within `horizonMs`,
 * nearest first, in pages by key. The windows overlap, which catches late commits and lost hints. Ends early when the
 * wheel is full; the next run goes on. Tasks that a new view takes away are loaded once more, because the new owner may
 * get that view a second later, or not at all. The first load of slots whose node left the view is told. A reload
 * interval after a change of view, entries of other owners are dropped.
 */
export class WindowLoader extends PeriodicService {
  private loadedView = NO_VIEW_LOADED;
  /** By which this node loaded last to the end, whatever types had tasks then. */
  private loadedBy: Ownership | null = null;

  constructor(
    private readonly context: EngineContext,
    private readonly parts: LoaderParts,
  ) {
    super("load", context);
  }

  async runOnce(): Promise<void> {
    this.dropForeignEntries();
    const types = await this.parts.types.runnable();
    const ownership = this.parts.membership.ownership();
    const scopes = this.scopes(types, ownership);
    const takeover = this.takeover(ownership);
    let after: HintCursor | null = windowStart(this.context.dbClock.nowMs());
    while (after !== null && scopes.length > 0 && !this.shouldEnd) {
      const { clock, options, tasks } = this.context;
      const { horizonMs, sweepPageSize } = options;
      const page = await tasks.loadWindow({ scopes, horizonMs, after, limit: Math.min(PAGE_SIZE, sweepPageSize) });
      takeover?.count(page.hints);
      after = this.parts.feed.give(page.hints, byWheel) ? page.next : null;
      if (after !== null) await wait(clock, PAUSE_MS);
    }
    this.loadedBy = ownership;
    takeover?.tell();
  }

  /** What is told of this load; null: nothing came to this node from one that left. */
  private takeover(ownership: Ownership): Takeover | null {
    const { events, clock, dbClock } = this.context;
    const { membership, formerOwners } = this.parts;
    const gain = events && gainOf(this.loadedBy, ownership, (gone) => formerOwners.fellSilent(gone));
    if (!events || !gain) return null;
    const { bootId } = membership;
    const nowMs = dbClock.nowMs();
    const startMonoMs = clock.monotonicMs();
    let late = 0;
    return {
      count: (hints) => (late += lateAmong(hints, gain, nowMs)),
      tell: () => {
        const loadMs = Math.round(clock.monotonicMs() - startMonoMs);
        const { from, slots } = gain;
        const facts = { view: ownership.viewNumber, from, slots: slots.size, loadMs, late };
        events.add({ kind: "TAKEOVER", bootId, facts });
      },
    };
  }

  protected intervalMs(): number {
    return this.context.options.reloadIntervalMs;
  }

  private scopes(types: readonly TypeId[], ownership: Ownership): TypeScope[] {
    const scopes = types.map((typeId) => {
      const slots = ownership.mine(typeId);
      const before = this.loadedBy?.mine(typeId) ?? slots;
      return { typeId, slots: before === slots ? slots : slots.union(before) };
    });
    return scopes.filter(({ slots }) => slots.size > 0);
  }

  private dropForeignEntries(): void {
    const ownership = this.parts.membership.ownership();
    const { reloadIntervalMs } = this.context.options;
    const nowMonoMs = this.context.clock.monotonicMs();
    const { loaded, dropsForeign } = atLoad(this.loadedView, {
      viewNumber: ownership.viewNumber,
      nowMonoMs,
      reloadIntervalMs,
    });
    this.loadedView = loaded;
    if (dropsForeign) this.parts.entries.retain((typeId, slot) => ownership.mineOrNobodys(typeId).has(slot));
  }
}

interface Takeover {
  count(hints: readonly TaskHint[]): void;
  tell(): void;
}

function lateAmong(hints: readonly TaskHint[], { slots }: Gain, nowMs: number): number {
  return hints.filter(({ id, dueAt }) => dueAt <= nowMs && slots.has(slotOfId(id))).length;
}
