import {
  type Breaker,
  type BreakerStore,
  type BreakerSubject,
  type Coordination,
  type MetricReading,
  type Service,
  type TaskType,
  type TypeBreaker,
  typeBreakerOf,
  type TypeId,
} from "@tickwheel/core";
import type { ClusterNode, Ownership } from "@tickwheel/coordination";
import { HostRests } from "../breakers/host-rests.js";
import { OpenBreakers } from "../breakers/open-breakers.js";
import { TypeBreakers } from "../breakers/type-breakers.js";
import type { EngineContext } from "../runtime/engine-context.js";
import type { TypeDirectory } from "../types/type-directory.js";

interface NodeBreakerParts {
  store: BreakerStore;
  coordination: Pick<Coordination, "send">;
  types: Pick<TypeDirectory, "get" | "executorOf">;
  /** Null: this node is no member of the cluster. */
  member: Pick<ClusterNode, "bootId" | "listen"> | null;
  ownership: () => Ownership;
  /** Types may be claimed again that were not. */
  claimAgain: () => void;
}

/** The breakers of types and hosts, as one node keeps them. */
export class NodeBreakers {
  readonly types: TypeBreakers;
  readonly hosts: HostRests;
  private readonly open: OpenBreakers;

  constructor(
    private readonly context: EngineContext,
    private readonly parts: NodeBreakerParts,
  ) {
    const { store, types, member, claimAgain } = parts;
    const announce = (): void => this.announce();
    const open = (this.open = new OpenBreakers({ ...context, store, changed: claimAgain }));
    const shared = { ...context, store, open, announce };
    this.hosts = new HostRests(shared);
    this.types = new TypeBreakers({
      ...shared,
      subjectOf: (typeId) => subjectOf(types.get(typeId)),
      judgeOf: (typeId, opens) => types.executorOf(typeId)?.judge?.(types.get(typeId)!, opens) ?? null,
      bootId: () => member?.bootId ?? null,
      isPresent: (bootId) => parts.ownership().nodes.some((node) => node.bootId === bootId),
    });
    member?.listen({
      received: ({ kind }) => {
        if (kind === "breakers") open.hinted();
      },
    });
  }

  /** Reads the breakers again and again. */
  get reader(): Service {
    return this.open;
  }

  /** Those that are not closed, as this node has read them within the last seconds. */
  all(): Breaker[] {
    return this.open.all();
  }

  /** Null: it is closed. */
  ofType(typeId: TypeId): Breaker | null {
    const subject = subjectOf(this.parts.types.get(typeId));
    return subject && this.open.of(subject);
  }

  /** How the breaker of a type stands, with the node that tries; null: it is closed. */
  standingOf(typeId: TypeId): (TypeBreaker & { node: string | null }) | null {
    const breaker = this.ofType(typeId);
    if (breaker === null) return null;
    const trier = this.parts.ownership().nodes.find(({ bootId }) => bootId === breaker.trialBy);
    return { ...typeBreakerOf(breaker), node: trier?.label ?? null };
  }

  /**
   * Closes the breaker of a type on all nodes. False: it was closed.
   *
   * @throws TickwheelError `STORE_UNAVAILABLE`
   */
  async close({ namespace, type, actor }: { namespace: string; type: string; actor: string }): Promise<boolean> {
    const subject = { kind: "type", namespace, name: type } as const;
    const { changed, breaker } = await this.parts.store.changeBreaker({ kind: "close", subject, actor });
    this.open.learn(subject, breaker);
    if (!changed) return false;
    const message = `${actor} has closed the breaker of ${type}`;
    this.context.telemetry.emit({ name: "breaker.closed", level: "info", message, facts: { namespace, type, actor } });
    this.announce();
    return true;
  }

  /** What the leader tells of the types' breakers. */
  metrics(): MetricReading {
    const states = { open: 0, half: 0 };
    for (const { kind, state } of this.all()) if (kind === "type") states[state]++;
    const samples = Object.entries(states).map(([state, value]) => ({ labels: { state }, value }));
    return { name: "tickwheel_type_breakers", samples };
  }

  private announce(): void {
    void this.parts.coordination.send("all", { kind: "breakers" });
  }
}

function subjectOf(type: TaskType | undefined): BreakerSubject | null {
  return type === undefined ? null : { kind: "type", namespace: type.namespace, name: type.type };
}
