import type { HintCursor, TypeScope } from "@tickwheel/core";
import type { Membership } from "@tickwheel/coordination";
import type { DueEntries } from "./due-entries.js";
import { byWheel, type DueFeed } from "./due-feed.js";
import type { EngineContext } from "./engine-context.js";
import { PeriodicService } from "./periodic-service.js";
import type { TypeDirectory } from "./type-directory.js";

/** The window begins this much before now: what is overdue for longer is the sweep's, so a backlog is not read over and over. */
const LOOK_BACK_MS = 10_000;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";

interface LoaderParts {
  membership: Pick<Membership, "ownership">;
  types: TypeDirectory;
  entries: DueEntries;
  feed: DueFeed;
}

/**
 * L2: each `reloadIntervalMs`, and at once on a new view, reads what this node owns and is due within `horizonMs`, nearest first, in
 * pages by key; the windows overlap, which catches late commits and lost hints. Ends early when the wheel is full; the next run goes on.
 * One reload after a change of view the entries that are no longer its own are dropped.
 */
export class WindowLoader extends PeriodicService {
  private loadedView = 0;
  private dropsAfterView: number | null = null;

  constructor(
    private readonly context: EngineContext,
    private readonly parts: LoaderParts,
  ) {
    super("load", context);
  }

  async runOnce(): Promise<void> {
    this.dropForeignEntries();
    const scopes = this.scopes();
    let after: HintCursor | null = { dueAt: Math.floor(this.context.dbClock.nowMs()) - LOOK_BACK_MS, id: FIRST_ID };
    while (after !== null && scopes.length > 0 && !this.shouldEnd) {
      const { horizonMs, sweepPageSize: limit } = this.context.options;
      const page = await this.context.tasks.loadWindow({ scopes, horizonMs, after, limit });
      after = this.parts.feed.give(page.hints, byWheel) ? page.next : null;
    }
  }

  protected intervalMs(): number {
    return this.context.options.reloadIntervalMs;
  }

  private scopes(): TypeScope[] {
    const ownership = this.parts.membership.ownership();
    return this.parts.types
      .runnable()
      .map((typeId) => ({ typeId, slots: ownership.mine(typeId) }))
      .filter(({ slots }) => slots.size > 0);
  }

  private dropForeignEntries(): void {
    const ownership = this.parts.membership.ownership();
    const { viewNumber } = ownership;
    if (viewNumber !== this.loadedView) {
      this.loadedView = viewNumber;
      this.dropsAfterView = viewNumber;
    } else if (this.dropsAfterView === viewNumber) {
      this.dropsAfterView = null;
      this.parts.entries.retain((typeId, slot) => ownership.mineOrNobodys(typeId).has(slot));
    }
  }
}
