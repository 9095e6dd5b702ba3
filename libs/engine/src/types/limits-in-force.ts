import type { FlowLimit, LimitId, TaskType, TypeId } from "@tickwheel/core";
import { isSetFor } from "@tickwheel/core";

/** What limits a type in the whole cluster: its own limits, and those of its namespace. */
export interface LimitsOfType {
  /** Its own before that of its namespace. */
  all: readonly FlowLimit[];
  /** The limits whose places its claims take; none: it is claimed like any other. */
  counted: readonly LimitId[];
  /** The smallest of their numbers; `Infinity`: there are none. */
  maxRunning: number;
  /** Those that have a rate, so that each start takes a token. */
  rated: readonly FlowLimit[];
}

/** What most types have. */
export const UNLIMITED: LimitsOfType = { all: [], counted: [], maxRunning: Infinity, rated: [] };

/** The limits by which this node works just now, by type. Bounded by the types that exist. */
export class LimitsInForce {
  private all: readonly FlowLimit[] = [];
  private readonly byType = new Map<TypeId, LimitsOfType>();

  /** @param typeOf undefined: this node does not know the type */
  constructor(private readonly typeOf: (typeId: TypeId) => TaskType | undefined) {}

  take(limits: readonly FlowLimit[]): void {
    this.all = limits;
    this.byType.clear();
  }

  /** Whether anything is limited. */
  get areSet(): boolean {
    return this.all.length > 0;
  }

  of(typeId: TypeId): LimitsOfType {
    if (this.all.length === 0) return UNLIMITED;
    const known = this.byType.get(typeId);
    if (known) return known;
    const type = this.typeOf(typeId);
    if (type === undefined) return UNLIMITED;
    const found = this.find(type);
    this.byType.set(typeId, found);
    return found;
  }

  private find({ id, namespace, type }: TaskType): LimitsOfType {
    const limits = this.all.filter((one) => isSetFor(one, { typeId: id, namespace, type }));
    if (limits.length === 0) return UNLIMITED;
    const counted = limits.filter(({ maxRunning }) => maxRunning !== null);
    return {
      all: limits.toSorted((one, other) => Number(one.typeId === null) - Number(other.typeId === null)),
      counted: counted.map(({ id: limitId }) => limitId),
      maxRunning: Math.min(...counted.map(({ maxRunning }) => maxRunning!)),
      rated: limits.filter(({ rate }) => rate !== null),
    };
  }
}
