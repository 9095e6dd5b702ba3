import type { BootId, Clock, ClusterStore, View } from "@tickwheel/core";
import type { Conditions } from "./conditions.js";

const OPERATION = "reading the view";

export interface ViewKeeperPorts {
  clock: Clock;
  store: Pick<ClusterStore, "readView">;
  conditions: Conditions;
}

/** Keeps the newest view that this node knows. A view is only ever followed by one with a higher number. */
export class ViewKeeper {
  private known: { view: View; sinceMonoMs: number } | null = null;

  constructor(
    private readonly ports: ViewKeeperPorts,
    private readonly onNewView: (view: View) => void,
  ) {}

  get view(): View | null {
    return this.known?.view ?? null;
  }

  get number(): number {
    return this.known?.view.number ?? 0;
  }

  async runOnce(): Promise<void> {
    const read = await this.ports.conditions.attempt(OPERATION, () => this.ports.store.readView());
    if (read.ok && read.value !== null) this.accept(read.value);
  }

  accept(view: View): void {
    if (view.number <= this.number) return;
    this.known = { view, sinceMonoMs: this.ports.clock.monotonicMs() };
    this.onNewView(view);
  }

  /** Whether the others have had `settleMs` to learn that this node is not in the view, or there is nobody to learn it. */
  isSettledWithout(bootId: BootId, settleMs: number): boolean {
    if (this.known === null) return true;
    const { view, sinceMonoMs } = this.known;
    if (view.nodes.some((node) => node.bootId === bootId)) return false;
    return view.nodes.length === 0 || this.ports.clock.monotonicMs() - sinceMonoMs >= settleMs;
  }
}
