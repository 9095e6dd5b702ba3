import type { BootId, Telemetry } from "@tickwheel/core";
import type { GoodBeat } from "../beats/heartbeat.js";
import type { Health } from "../health/health.js";
import type { MembershipListener } from "../views/membership.js";
import { INITIAL_CONDITION, isMember, nextCondition, type NodeCondition, type NodeEvent } from "./node-state.js";
import { BEAT, FIRST_BEAT } from "./self-fence.js";

interface ConditionPorts {
  telemetry: Telemetry;
  health: Pick<Health, "raise" | "clear">;
}

/**
 * Keeps a node's condition, and tells of its changes: the rest of the node through its listeners, people through events
 * and health. `node-state.ts` decides what becomes of the condition.
 */
export class ConditionKeeper {
  private condition = INITIAL_CONDITION;
  private readonly listeners = new Set<MembershipListener>();

  /** @param label of the node, as people are told it */
  constructor(
    private readonly ports: ConditionPorts,
    private readonly label: string,
  ) {}

  get current(): NodeCondition {
    return this.condition;
  }

  /** Notifies the listener from now on; call the result to stop. */
  listen(listener: MembershipListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  tell(what: (listener: MembershipListener) => void): void {
    for (const listener of this.listeners) what(listener);
  }

  /** Takes an event of which nobody is told. False: it is not valid now. */
  apply(event: NodeEvent): boolean {
    const next = nextCondition(this.condition, event);
    this.condition = next ?? this.condition;
    return next !== null;
  }

  /** The first beat under a boot id was good. */
  joined(bootId: BootId): void {
    this.apply("joined");
    this.ports.health.clear("heartbeat", FIRST_BEAT);
    const message = `${this.label} joined`;
    this.ports.telemetry.emit({ name: "cluster.node.joined", level: "debug", message, facts: { bootId } });
    this.tell((listener) => listener.joined?.(bootId));
  }

  /** @param ageMs how long ago the last good beat was sent */
  beatLate(ageMs: number): void {
    if (!this.apply("beat_late")) return;
    const detail = `no good beat for ${Math.round(ageMs)} ms: nothing is started, what runs is aborted`;
    this.ports.health.raise({ part: "heartbeat", operation: BEAT, detail, isTried: () => this.condition.fenced });
    this.tell((listener) => listener.fenced?.("no_good_beat"));
  }

  /** @param isFresh whether it is recent enough to start work */
  beatGood(good: GoodBeat, isFresh: boolean): void {
    this.tell((listener) => listener.beatGood?.(good));
    if (!isFresh || !this.apply("beat_good")) return;
    this.ports.health.clear("heartbeat", BEAT);
    this.tell((listener) => listener.resumed?.());
  }

  /** The others hold this boot id for dead. False: it was lost already, or left. */
  lost(bootId: BootId): boolean {
    const wasMember = isMember(this.condition);
    if (!this.apply("lost")) return false;
    const message = `${this.label} was taken for dead: it aborts what runs and joins anew`;
    this.ports.telemetry.emit({ name: "cluster.node.lost", level: "warn", message, facts: { bootId } });
    if (wasMember) this.tell((listener) => listener.fenced?.("lost"));
    return true;
  }
}
