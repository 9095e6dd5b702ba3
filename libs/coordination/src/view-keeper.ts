import type { BootId, Clock, ClusterStore, View } from "@tickwheel/core";
import type { Conditions } from "./conditions.js";

const OPERATION = "reading the view";

export interface ViewKeeperPorts {
  clock: Clock;
  store: Pick<ClusterStore, "readView">;
  conditions: Conditions;
}

/**
 * Keeps the newest view that this node knows. A view is followed by one with a higher number, or by what the store says twice in a row: a
 * standby that was promoted may have forgotten views, and the next one then bears a number that was used before.
 */
export class ViewKeeper {
  private known: { view: View; sinceMonoMs: number } | null = null;
  /** What the store said last, if that is not the known view. */
  private doubtful: View | null = null;

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
    if (read.ok && read.value !== null) this.compare(read.value);
  }

  accept(view: View): void {
    if (view.number > this.number) this.take(view);
  }

  /** A reading may be older than what this node has just published or heard of; two in a row are not. */
  private compare(read: View): void {
    const { known, doubtful } = this;
    this.doubtful = null;
    if (known === null || read.number > known.view.number) this.take(read);
    else if (isSameView(read, known.view)) return;
    else if (doubtful !== null && isSameView(read, doubtful)) this.take(read);
    else this.doubtful = read;
  }

  private take(view: View): void {
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

/** Two views with the same number may be different ones: each was published once, at its own time. */
function isSameView(one: View, other: View): boolean {
  return one.number === other.number && one.term === other.term && one.publishedAt === other.publishedAt;
}
