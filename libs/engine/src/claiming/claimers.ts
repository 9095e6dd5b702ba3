import type { Service } from "@tickwheel/core";
import type { Membership } from "@tickwheel/coordination";
import type { FlowLimits } from "../limits/flow-limits.js";
import type { EngineContext } from "../runtime/engine-context.js";
import type { TypeDirectory } from "../types/type-directory.js";
import { Claimer, type ClaimerParts } from "./claimer.js";
import { LimitedClaims } from "./limited-claims.js";
import { PlainClaims } from "./plain-claims.js";

interface ClaimersParts extends Omit<ClaimerParts, "way" | "isLimited" | "pausedKeys"> {
  membership: Pick<Membership, "bootId" | "canDispatch">;
  types: Pick<TypeDirectory, "clusterLimitsOf" | "hasLimits" | "isLimited" | "pausedKeysOf">;
  /** Null: nothing can be limited in the cluster. */
  flow: FlowLimits | null;
}

/**
 * All claims of a node. Those of types that are limited in the whole cluster take four round trips, so they have a
 * claimer of their own: beside one claim of these there is one of all other types.
 */
export class Claimers implements Service {
  private readonly plain: Claimer;
  private readonly limited: Claimer | null;
  private readonly types: Pick<TypeDirectory, "hasLimits">;

  constructor(context: EngineContext, { types, flow, ...parts }: ClaimersParts) {
    this.types = types;
    const isLimited = types.isLimited.bind(types);
    const shared = { ...parts, isLimited, pausedKeys: types.pausedKeysOf.bind(types) };
    const { ready, capacity } = parts;
    const isCounted = flow === null ? () => false : (typeId: number) => flow.isCounted(typeId);
    this.plain = new Claimer(context, { ...shared, way: new PlainClaims(context, { ready, capacity, isCounted }) });
    this.limited = null;
    if (flow === null) return;
    const limitsOf = types.clusterLimitsOf.bind(types);
    const { store, rounds } = flow;
    const way = new LimitedClaims(context, { store, ready, capacity, limitsOf, rounds });
    this.limited = new Claimer(context, { ...shared, way });
  }

  async start(): Promise<void> {
    await Promise.all(this.all.map((claimer) => claimer.start()));
  }

  /** Resolves when no claim is in flight. */
  async stop(): Promise<void> {
    await Promise.all(this.all.map((claimer) => claimer.stop()));
  }

  /** Resolves when the claims that are in flight now are answered or lost. */
  async whenAnswered(): Promise<void> {
    await Promise.all(this.all.map((claimer) => claimer.whenAnswered()));
  }

  /** Claims if there is reason to: see {@link Claimer.pump}. */
  pump(): void {
    this.plain.pump();
    if (this.types.hasLimits) this.limited?.pump();
  }

  private get all(): readonly Claimer[] {
    return this.limited === null ? [this.plain] : [this.plain, this.limited];
  }
}
