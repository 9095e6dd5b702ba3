import type { TaskStore, TypeId } from "@tickwheel/core";
import type { TypeDirectory } from "./type-directory.js";

interface OccupiedSource {
  tasks: Pick<TaskStore, "occupiedTypes">;
  types: Pick<TypeDirectory, "count" | "executorOf" | "runnable" | "pulled" | "known" | "get" | "isPaused">;
  options: { probedTypeCount: number };
}

/**
 * Which types may have scheduled tasks just now, so that thousands without any cost nothing. If there are few types all
 * are taken: asking each for its tasks is as cheap. If there are more, those that had some lately are taken, and all
 * others for which the store reports any. The store is asked anew each time [level-triggered], so no waiting task is
 * left out, whatever is remembered.
 *
 * The types that are remembered are asked for by their due times, never for whether they have a task: after much work
 * such a look would scan all rows that have run and are not vacuumed yet. At most `probedTypeCount` of them; the
 * longest known go first.
 */
export class OccupiedTypes {
  private readonly probed = new Set<TypeId>();

  constructor(private readonly source: OccupiedSource) {}

  /** The types that this node can run; not those that are paused. */
  async runnable(): Promise<TypeId[]> {
    const { types, options } = this.source;
    if (types.count() <= options.probedTypeCount) return this.unpaused(types.runnable());
    return this.unpaused(await this.look()).filter((typeId) => types.executorOf(typeId) !== undefined);
  }

  /** The types whose tasks consumers fetch; not those that are paused. */
  pulled(): TypeId[] {
    return this.unpaused(this.source.types.pulled());
  }

  /** All types that this node knows; not those that are paused. */
  async known(): Promise<TypeId[]> {
    const { types, options } = this.source;
    const known = types.known();
    if (known.length <= options.probedTypeCount) return this.unpaused(known);
    return this.unpaused(await this.look()).filter((typeId) => types.get(typeId) !== undefined);
  }

  private unpaused(typeIds: readonly TypeId[]): TypeId[] {
    return typeIds.filter((typeId) => !this.source.types.isPaused(typeId));
  }

  private async look(): Promise<TypeId[]> {
    const probed = [...this.probed];
    const found = await this.source.tasks.occupiedTypes(probed);
    for (const typeId of found) this.remember(typeId);
    return [...new Set([...probed, ...found])];
  }

  private remember(typeId: TypeId): void {
    this.probed.delete(typeId);
    this.probed.add(typeId);
    if (this.probed.size <= this.source.options.probedTypeCount) return;
    for (const longestKnown of this.probed) {
      this.probed.delete(longestKnown);
      return;
    }
  }
}
