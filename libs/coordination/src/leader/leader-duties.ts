import type {
  BootId,
  Clock,
  ClusterEventSink,
  ClusterStore,
  Coordination,
  Leadership,
  NodeRecord,
  Silence,
  Telemetry,
  ViewNode,
} from "@tickwheel/core";
import type { BeatObserver } from "../beats/beat-observer.js";
import type { Health, IsTried, Outcome } from "../health/health.js";
import type { DetectorOptions } from "../beats/failure-detector.js";
import { deathVerdicts } from "./death-verdicts.js";
import { type SilenceLook, silenceNews } from "./silence-news.js";
import type { ViewKeeper } from "../views/view-keeper.js";
import { planView } from "../views/view-plan.js";

const READ = "reading the nodes";
const READ_BEATS = "reading the first beats";
const PUBLISH = "publishing a view";
const DECLARE = "declaring a node dead";
const FORGET = "forgetting dead nodes";

/** How often a leader reads the nodes while the beats show nothing new. */
const READ_INTERVAL_MS = 1_000;
/** At most this many dead nodes are kept for cluster reports; all are read each second. */
const KEPT_DEAD_NODES = 100;
/**
 * How often a leader forgets the others; and how soon again after a failure, so that it is not reported for longer than
 * it is true.
 */
const FORGET_INTERVAL_MS = 10_000;
const FORGET_AGAIN_MS = 1_000;
const NOBODY: ReadonlySet<BootId> = new Set();
const NOT_YET = { atMonoMs: Number.NEGATIVE_INFINITY, scene: "" };

export interface DutyPorts {
  clock: Clock;
  store: Pick<ClusterStore, "readNodes" | "readBeats" | "publishView" | "declareDead" | "forgetDeadNodes">;
  coordination: Pick<Coordination, "send">;
  health: Health;
  telemetry: Telemetry;
  /** Where silences are told. Default: nowhere. */
  events?: ClusterEventSink;
  observer: Pick<BeatObserver, "scene" | "suspects" | "dead" | "leaving" | "sighting" | "beatAgeMs">;
  views: Pick<ViewKeeper, "view" | "accept">;
}

export interface DutyOptions {
  self: BootId;
  /** This node's, which is told with what it sees. */
  label: string;
  beats: Pick<DetectorOptions, "heartbeatIntervalMs" | "suspectAfterBeats">;
  leadership: () => Leadership | null;
  /** Whether this node asks to be left out itself: the next view does not wait until its beats have said so. */
  isLeaving: () => boolean;
  /** A write was refused: this leadership is over. */
  onRefused: () => void;
  /** A node was declared dead by this one. */
  onDead: (bootId: BootId) => void;
}

/**
 * What a leader does: publishes a view when a new one is due, declares silent nodes dead, and forgets dead nodes. It
 * does so each second, and in each poll that sees other nodes than the one before or a dead one. It keeps nothing in
 * memory that a new leader would miss: everything follows from the rows and the observer. The store refuses each write
 * once another node holds the term. (Reaping belongs to the engine, which knows tasks.)
 */
export class LeaderDuties {
  private nextForgetMonoMs = Number.NEGATIVE_INFINITY;
  /** When the nodes were last read, and what the leader saw then. */
  private looked = NOT_YET;
  /**
   * What the last look found: a node whose first beat was not seen here, a new view that is due, nodes to declare dead.
   */
  private due = { beats: false, view: false, verdicts: false };

  /** What was told of silences. */
  private told: SilenceLook | null = null;

  constructor(
    private readonly ports: DutyPorts,
    private readonly settings: DutyOptions,
  ) {}

  async runOnce(): Promise<void> {
    const { clock, observer } = this.ports;
    const look = { atMonoMs: clock.monotonicMs(), scene: this.scene() };
    const isNews = look.scene !== this.looked.scene || observer.dead().size > 0;
    if (!isNews && look.atMonoMs - this.looked.atMonoMs < READ_INTERVAL_MS) return;
    this.looked = look;
    const nodes = await this.publishDue();
    if (nodes === null) return;
    await this.declareDead(nodes);
    await this.forget();
  }

  private scene(): string {
    const leadership = this.settings.leadership();
    return `${leadership?.term};${this.settings.isLeaving()};${this.ports.observer.scene}`;
  }

  /**
   * Publishes the next view if it differs. Returns the nodes; null: this node does not lead, or the store does not
   * answer.
   */
  async publishDue(): Promise<readonly NodeRecord[] | null> {
    if (this.settings.leadership() === null) return null;
    const nodes = await this.attempt(READ, () => this.ports.store.readNodes());
    if (!nodes.ok) return this.lookAgain();
    this.tellSilences(nodes.value);
    const planned = this.plan(nodes.value, await this.beatsUnseen(nodes.value));
    this.due.view = planned !== null;
    const leader = this.settings.leadership();
    if (planned !== null && leader !== null) await this.publish(planned, leader);
    return nodes.value;
  }

  /** Tells who has fallen silent and who beats again. Nothing waits for it. */
  private tellSilences(nodes: readonly NodeRecord[]): void {
    const { observer, events } = this.ports;
    const leader = this.settings.leadership();
    if (leader === null || events === undefined) return;
    const look = { term: leader.term, suspects: observer.suspects() };
    const present = nodes.flatMap(({ state, bootId }) => (state === "dead" ? [] : bootId));
    const { silent, recovered } = silenceNews(this.told, look, present);
    this.told = look;
    const seenBy = this.settings.label;
    for (const bootId of silent) {
      const silence = this.silenceOf(bootId);
      if (silence) events.add({ kind: "SUSPECT", bootId, facts: { ...silence, seenBy } });
    }
    for (const bootId of recovered) events.add({ kind: "RECOVERED", bootId, facts: { seenBy } });
  }

  /** Undefined: no beat was ever seen. */
  private silenceOf(bootId: BootId): Silence | undefined {
    const silentMs = this.ports.observer.beatAgeMs(bootId);
    if (silentMs === null) return undefined;
    const { heartbeatIntervalMs } = this.settings.beats;
    return { silentMs: Math.round(silentMs), missedBeats: Math.floor(silentMs / heartbeatIntervalMs) };
  }

  /** A leader's duties, run only if there is something to do. */
  private attempt<T>(operation: string, call: () => Promise<T>, isDue: IsTried = () => true): Promise<Outcome<T>> {
    return this.ports.health.attempt(operation, call, () => this.settings.leadership() !== null && isDue());
  }

  /**
   * Nodes that have beaten although this observer has not seen it: its next look may be an interval away. A node that
   * has just joined may be the only one left when a leader leaves; with an empty view, chance would decide who runs the
   * tasks that fall due meanwhile.
   */
  private async beatsUnseen(nodes: readonly NodeRecord[]): Promise<ReadonlySet<BootId>> {
    this.due.beats = nodes.some(({ state, bootId }) => state === "live" && !this.hasSeenBeat(bootId));
    if (!this.due.beats) return NOBODY;
    const beats = await this.attempt(
      READ_BEATS,
      () => this.ports.store.readBeats(),
      () => this.due.beats,
    );
    return new Set(beats.ok ? beats.value.filter(({ beat }) => beat > 0).map(({ bootId }) => bootId) : []);
  }

  /** Without a first beat of its own this node would not lead. */
  private hasSeenBeat(bootId: BootId): boolean {
    return bootId === this.settings.self || (this.ports.observer.sighting(bootId)?.beat ?? 0) > 0;
  }

  private plan(nodes: readonly NodeRecord[], unseen: ReadonlySet<BootId>): ViewNode[] | null {
    const { observer, views } = this.ports;
    const leaving = new Set([...observer.leaving(), ...(this.settings.isLeaving() ? [this.settings.self] : [])]);
    const hasBeaten = (bootId: BootId): boolean => this.hasSeenBeat(bootId) || unseen.has(bootId);
    return planView({ nodes, leaving, hasBeaten, suspects: observer.suspects(), present: views.view });
  }

  /** In the next poll. */
  private lookAgain(): null {
    this.looked = NOT_YET;
    return null;
  }

  private async publish(nodes: readonly ViewNode[], leader: Leadership): Promise<void> {
    const published = await this.attempt(
      PUBLISH,
      () => this.ports.store.publishView(nodes, leader),
      () => this.due.view,
    );
    if (!published.ok) return void this.lookAgain();
    if (published.value === null) return this.settings.onRefused();
    const view = published.value;
    this.ports.views.accept(view);
    this.ports.telemetry.emit({
      name: "cluster.view.published",
      level: "debug",
      message: `View ${view.number}: ${view.nodes.map((node) => node.label).join(", ") || "nobody"}`,
      facts: { view: view.number, term: view.term, nodes: view.nodes.length },
    });
    // A lost message costs a second: every node also reads the view.
    void this.ports.coordination.send("all", { kind: "view", number: view.number }).catch(() => false);
  }

  private async declareDead(nodes: readonly NodeRecord[]): Promise<void> {
    const { observer } = this.ports;
    // Postgres' beat, if known: anybody may have written the medium's, and one that is ahead would save a dead node for
    // ever.
    const beatOf = (bootId: BootId): number | undefined => {
      const seen = observer.sighting(bootId);
      return seen?.storeBeat ?? seen?.beat;
    };
    const verdicts = deathVerdicts({ nodes, silent: observer.dead(), beatOf, self: this.settings.self });
    this.due.verdicts = verdicts.length > 0;
    for (const { node, beat } of verdicts) {
      const leader = this.settings.leadership();
      if (leader === null) return;
      await this.declareOneDead(node, { beat, leader });
    }
  }

  private async declareOneDead(
    node: NodeRecord,
    { beat, leader }: { beat: number; leader: Leadership },
  ): Promise<void> {
    const { bootId, label } = node;
    const silentMs = this.ports.observer.beatAgeMs(bootId);
    const { heartbeatIntervalMs, suspectAfterBeats } = this.settings.beats;
    const suspectMs = Math.max(0, Math.round(silentMs ?? 0) - heartbeatIntervalMs * suspectAfterBeats);
    const told = this.silenceOf(bootId);
    const silence = told && { ...told, suspectMs };
    const verdict = await this.attempt(
      DECLARE,
      () => this.ports.store.declareDead({ bootId, beat, leader, silence }),
      () => this.due.verdicts,
    );
    if (!verdict.ok) return;
    if (verdict.value === "not_leader") this.settings.onRefused();
    if (verdict.value !== "dead") return;
    this.ports.telemetry.emit({
      name: "cluster.node.dead",
      level: "warn",
      message: `Node ${label} is dead: no beat for ${Math.round(silentMs ?? 0)} ms`,
      facts: { bootId, label, silentMs, term: leader.term },
    });
    this.settings.onDead(bootId);
  }

  private async forget(): Promise<void> {
    const nowMonoMs = this.ports.clock.monotonicMs();
    const leader = this.settings.leadership();
    if (nowMonoMs < this.nextForgetMonoMs || leader === null) return;
    const { ok } = await this.attempt(FORGET, () => this.ports.store.forgetDeadNodes(leader, KEPT_DEAD_NODES));
    this.nextForgetMonoMs = nowMonoMs + (ok ? FORGET_INTERVAL_MS : FORGET_AGAIN_MS);
  }
}
