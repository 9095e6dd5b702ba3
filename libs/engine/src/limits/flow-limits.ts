import type { BootId, ClaimedTask, Coordination, LimitId, LimitStore, TypeId } from "@tickwheel/core";
import type { EngineContext } from "../runtime/engine-context.js";
import type { LimitsOfType } from "../types/limits-in-force.js";
import { ClaimRounds } from "./claim-rounds.js";
import { RoomNotices } from "./room-notices.js";
import { TokenLeases } from "./token-leases.js";

interface FlowLimitParts {
  store: LimitStore;
  coordination: Pick<Coordination, "send">;
  limitsOf: (typeId: TypeId) => LimitsOfType;
  /** Other nodes that have found no place at one of these limits lately. */
  waitingAt: (limitIds: readonly LimitId[]) => BootId[];
  /** How many tasks of a type wait to be claimed here. */
  waiting: (typeId: TypeId) => number;
  /** Types may be claimed again. */
  claimable: () => void;
  /** A limit is gone: the settings have changed. */
  outdated: () => void;
}

/**
 * The limits of the whole cluster as one node keeps them [never-above-the-limit]: which types may be claimed just now,
 * and what the others should know. The rows decide: all that is here only saves questions.
 */
export class FlowLimits {
  readonly store: LimitStore;
  readonly rounds: ClaimRounds;
  readonly tokens: TokenLeases;
  private readonly notices: RoomNotices;

  constructor(
    context: EngineContext,
    private readonly parts: FlowLimitParts,
  ) {
    const { clock, random, health, meters } = context;
    const { store, limitsOf, claimable, outdated, coordination, waitingAt, waiting } = parts;
    this.store = store;
    this.rounds = new ClaimRounds({ clock, random, limitsOf, opened: claimable });
    const granted = (tokens: number): void => meters.tokensGranted(tokens);
    const leases = { clock, random, health, store, limitsOf, waiting };
    this.tokens = new TokenLeases({ ...leases, granted, outdated, changed: claimable });
    this.notices = new RoomNotices({ clock, coordination, waiting: waitingAt });
  }

  /** Whether a claim of this type takes places in the whole cluster. */
  isCounted(typeId: TypeId): boolean {
    return this.parts.limitsOf(typeId).counted.length > 0;
  }

  /** A task of this node runs no more, and the store knows. */
  left({ typeId }: Pick<ClaimedTask, "typeId">): void {
    const { counted } = this.parts.limitsOf(typeId);
    if (counted.length === 0) return;
    this.rounds.freed(counted);
    this.notices.add(counted);
  }

  /** The limits may be others now: what was learnt of the old ones counts no more. */
  reset(): void {
    this.rounds.reset();
    this.tokens.reset();
  }

  /**
   * What this node holds of limited types takes its places, whether or not there are any: claims that did not know the
   * limits have brought it.
   *
   * @param tasks all whose rows may run under this node
   * @throws what the store throws
   */
  async adopt(tasks: readonly Pick<ClaimedTask, "id" | "typeId">[]): Promise<void> {
    const ids = new Map<LimitId, string[]>();
    for (const { id, typeId } of tasks)
      for (const limitId of this.parts.limitsOf(typeId).counted) ids.set(limitId, [...(ids.get(limitId) ?? []), id]);
    if (ids.size === 0) return;
    await this.store.adoptPlaces([...ids].map(([limitId, held]) => ({ limitId, ids: held })));
  }

  stop(): void {
    this.reset();
    this.notices.stop();
  }
}
