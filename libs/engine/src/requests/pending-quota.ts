import { type Clock, type EpochMs, type TaskStats, TickwheelError } from "@tickwheel/core";

/** How long a count is believed. */
const COUNT_MS = 2_000;
const MAX_NAMESPACES = 1_000;

interface PendingParts {
  clock: Pick<Clock, "monotonicMs">;
  /** Tasks that wait, paused or not, which a namespace may have; 0: any number, and nothing is counted. */
  quota: number;
  stats(namespace: string): Promise<TaskStats>;
}

/** What is known of a namespace. */
interface Pending {
  /** The last count, and the number written by this node since. */
  tasks: number;
  /** Null: never counted. */
  countedAt: EpochMs | null;
  freshUntilMonoMs: number;
  /** Resolves when the count under way, or the last one, has succeeded or failed. */
  isCounted: Promise<void>;
}

/**
 * How many tasks a namespace may have that wait, paused or not. The count comes from the statistics, at most every two
 * seconds, and this node's writes since are added. A create waits for a count only if it is the first of its namespace
 * on this node, or if an old count would refuse it. So the quota is approximate: a namespace may exceed it by what all
 * nodes write between two counts and by the calls in progress, and is let in again some seconds after there is room. A
 * namespace that was never counted is let in.
 *
 * The planner of schedules never waits for a count: it asks {@link hasRoom}, and skips what finds no room.
 *
 * Bounded by its namespaces.
 */
export class PendingQuota {
  private readonly namespaces = new Map<string, Pending>();

  constructor(private readonly parts: PendingParts) {}

  /** @throws TickwheelError `RATE_LIMITED`: the namespace has used its quota */
  async admit(namespace: string): Promise<void> {
    const { quota } = this.parts;
    if (quota === 0) return;
    const pending = this.refreshed(namespace);
    if (pending.countedAt === null || pending.tasks >= quota) await pending.isCounted;
    if (pending.countedAt === null || pending.tasks < quota) return;
    const message = `The namespace has about ${pending.tasks} tasks that wait; it may have ${quota}.`;
    throw new TickwheelError("RATE_LIMITED", message, { details: { namespace, quota } });
  }

  /** Whether the last count left room. An old count is believed, and a newer one begins. */
  hasRoom(namespace: string): boolean {
    const { quota } = this.parts;
    if (quota === 0) return true;
    const pending = this.refreshed(namespace);
    return pending.countedAt === null || pending.tasks < quota;
  }

  /** This node wrote one more. */
  created(namespace: string): void {
    const pending = this.namespaces.get(namespace);
    if (pending) pending.tasks++;
  }

  private refreshed(namespace: string): Pending {
    const pending = this.of(namespace);
    if (this.parts.clock.monotonicMs() >= pending.freshUntilMonoMs) pending.isCounted = this.count(namespace, pending);
    return pending;
  }

  private of(namespace: string): Pending {
    const known = this.namespaces.get(namespace);
    if (known) return known;
    if (this.namespaces.size >= MAX_NAMESPACES) this.namespaces.clear();
    const pending = { tasks: 0, countedAt: null, freshUntilMonoMs: -Infinity, isCounted: Promise.resolve() };
    this.namespaces.set(namespace, pending);
    return pending;
  }

  private async count(namespace: string, pending: Pending): Promise<void> {
    pending.freshUntilMonoMs = this.parts.clock.monotonicMs() + COUNT_MS;
    const before = pending.tasks;
    const stats = await this.parts.stats(namespace).catch(() => null);
    // An expensive count is reused for a while, and does not contain what was written since.
    if (stats === null || stats.countedAt === pending.countedAt) return;
    pending.countedAt = stats.countedAt;
    pending.tasks = stats.counts.scheduled + stats.counts.paused + (pending.tasks - before);
  }
}
