import type { Clock, ClusterStore, View } from "@tickwheel/core";
import type { Health } from "../health/health.js";
import { afterHearing, afterReading, type KnownView, NO_VIEW_KNOWN, type ViewKnowledge } from "./view-choice.js";

const OPERATION = "reading the view";

export interface ViewKeeperPorts {
  clock: Clock;
  store: Pick<ClusterStore, "readView">;
  health: Health;
}

/** Keeps the view that this node follows; `view-choice.ts` decides which. */
export class ViewKeeper {
  private knowledge = NO_VIEW_KNOWN;

  constructor(
    private readonly ports: ViewKeeperPorts,
    private readonly onNewView: (view: View) => void,
  ) {}

  get known(): KnownView | null {
    return this.knowledge.known;
  }

  get view(): View | null {
    return this.known?.view ?? null;
  }

  get number(): number {
    return this.view?.number ?? 0;
  }

  async runOnce(): Promise<void> {
    const read = await this.ports.health.attempt(OPERATION, () => this.ports.store.readView());
    if (!read.ok || read.value === null) return;
    this.learn(afterReading(this.knowledge, read.value, this.ports.clock.monotonicMs()));
  }

  /** Takes a view that was heard of, if it is newer. */
  accept(view: View): void {
    this.learn(afterHearing(this.knowledge, view, this.ports.clock.monotonicMs()));
  }

  private learn(knowledge: ViewKnowledge): void {
    const isNew = knowledge.known !== this.knowledge.known;
    this.knowledge = knowledge;
    if (isNew) this.onNewView(knowledge.known!.view);
  }
}
