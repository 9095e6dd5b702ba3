import type { BootId, Clock, ClusterStore, Coordination, Leadership, Telemetry, Term } from "@tickwheel/core";
import type { Health } from "../health/health.js";
import { candidacy, electionStep, NO_TERM_SEEN, type TermWatch, watchTerm } from "./election.js";
import { MAX_POLL_STEP_MS } from "../beats/failure-detector.js";
import { afterKeeping } from "./term-keeping.js";

const READ = "reading the term";
const TAKE = "taking the term";
const KEEP = "keeping the term";
const CLEAR = "clearing the term";

export interface ElectionPorts {
  clock: Clock;
  store: Pick<ClusterStore, "readTerm" | "takeTerm" | "keepTerm" | "clearTerm">;
  coordination: Pick<Coordination, "campaign" | "yieldLeadership">;
  health: Health;
  telemetry: Telemetry;
}

export interface ElectionOptions {
  bootId: BootId;
  leaderTtlMs: number;
  heartbeatIntervalMs: number;
  /** Whether this node may go on leading. */
  mayLead: () => boolean;
  /** Whether it may begin to lead. */
  mayStand: () => boolean;
  /** Whether this node's readings say that a node is dead. */
  isDead: (bootId: BootId) => boolean;
  /** Leadership was taken or is over. */
  onChange: () => void;
}

/**
 * One incarnation's part in the election. It watches the term and takes it when `candidacy` says so. As leader it
 * raises the term's beat each heartbeat, then extends the lock. The store decides; the lock only prevents collisions,
 * so losing it proves nothing. An error of the store does not end a leadership: each write of a leader is checked
 * against the term. A leader resigns when it may not lead any more, because its own beats do not get through or because
 * it leaves; otherwise it would keep a term that it does not use and no other node can take.
 */
export class LeaderElection {
  private watch: TermWatch = NO_TERM_SEEN;
  private watchedMonoMs: number | null = null;
  private keptMonoMs = 0;
  private held: Leadership | null = null;
  private resigning = false;
  /** Whether it tries to take the term. */
  private stands = false;

  constructor(
    private readonly ports: ElectionPorts,
    private readonly settings: ElectionOptions,
  ) {}

  /** The leadership that this node holds, as far as it knows; null while it may not act on one. */
  get leadership(): Leadership | null {
    return this.settings.mayLead() ? this.held : null;
  }

  /** The newest term that this node has seen. */
  get term(): Term | null {
    return this.watch.seen;
  }

  async runOnce(): Promise<void> {
    const { mayLead, heartbeatIntervalMs } = this.settings;
    const sinceKeptMs = this.ports.clock.monotonicMs() - this.keptMonoMs;
    switch (electionStep({ holds: this.held !== null, mayLead: mayLead(), sinceKeptMs, heartbeatIntervalMs })) {
      case "watch":
        return this.standOrWatch();
      case "resign":
        return this.resign();
      case "keep":
        return this.keep(this.held!);
      case "rest":
        return;
    }
  }

  /**
   * Clears the term's holder, so that the next candidate need not wait, and releases the lock. If Postgres does not
   * answer, the next look tries again; otherwise there would be no leader, once it is back, until the term has run out.
   */
  async resign(): Promise<void> {
    const { held } = this;
    if (held === null || this.resigning) return;
    this.resigning = true;
    const cleared = await this.ports.health.attempt(
      CLEAR,
      () => this.ports.store.clearTerm(held),
      // A node that may lead again keeps the term that it could not give back.
      () => this.held === held && !this.settings.mayLead(),
    );
    this.resigning = false;
    if (!cleared.ok) return;
    this.end("it resigned");
    await this.ports.coordination.yieldLeadership();
  }

  /** Another node leads, or this node must not lead any more. */
  end(why: string): void {
    if (this.held === null) return;
    const { term } = this.held;
    this.held = null;
    this.watch = NO_TERM_SEEN;
    this.tell("cluster.leader.lost", `No longer the leader of term ${term}: ${why}`, term);
    this.settings.onChange();
  }

  private async standOrWatch(): Promise<void> {
    const nowMonoMs = this.ports.clock.monotonicMs();
    const sinceLastMs = Math.min(nowMonoMs - (this.watchedMonoMs ?? nowMonoMs), MAX_POLL_STEP_MS);
    this.watchedMonoMs = nowMonoMs;
    const read = await this.ports.health.attempt(
      READ,
      () => this.ports.store.readTerm(),
      () => this.held === null,
    );
    if (!read.ok) return;
    this.watch = watchTerm(this.watch, read.value, sinceLastMs);
    this.stands = this.settings.mayStand();
    if (this.stands) await this.stand(read.value);
  }

  private async stand(seen: Term): Promise<void> {
    const { bootId } = this.settings;
    switch (candidacy(this.watch, bootId, this.settings)) {
      case "no":
        this.stands = false;
        return;
      case "mine":
        return this.begin({ term: seen.term, holder: bootId });
      case "with_lock":
        if ((await this.ports.coordination.campaign(bootId, this.settings.leaderTtlMs)) !== "held") return;
        return this.take(seen);
      default:
        return this.take(seen);
    }
  }

  private async take(seen: Term): Promise<void> {
    const taken = await this.ports.health.attempt(
      TAKE,
      () => this.ports.store.takeTerm(this.settings.bootId, seen),
      () => this.stands && this.held === null,
    );
    // If it may not lead any more, it resigns at its next look.
    if (taken.ok && taken.value !== null) this.begin(taken.value);
    else await this.ports.coordination.yieldLeadership();
  }

  private begin(leadership: Leadership): void {
    this.held = leadership;
    this.keptMonoMs = this.ports.clock.monotonicMs();
    this.watch = { seen: { ...leadership, beat: this.watch.seen?.beat ?? 0 }, stillMs: 0 };
    this.tell("cluster.leader.elected", `The leader of term ${leadership.term}`, leadership.term);
    this.settings.onChange();
  }

  private async keep(held: Leadership): Promise<void> {
    this.keptMonoMs = this.ports.clock.monotonicMs();
    const kept = await this.ports.health.attempt(
      KEEP,
      () => this.ports.store.keepTerm(held),
      () => this.held === held,
    );
    const next = afterKeeping(kept);
    if (next === "extend_lock") await this.ports.coordination.campaign(this.settings.bootId, this.settings.leaderTtlMs);
    else if (next === "end") this.end("another term has begun");
  }

  private tell(name: string, message: string, term: number): void {
    this.ports.telemetry.emit({ name, level: "debug", message, facts: { term, bootId: this.settings.bootId } });
  }
}
