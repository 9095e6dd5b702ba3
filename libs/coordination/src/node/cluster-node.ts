import {
  type BootId,
  type Clock,
  FIRST_VITALS,
  type Leadership,
  newBootId,
  type NodeRecord,
  type NodeRegistration,
  type Service,
  type TypeId,
  type View,
  wait,
} from "@tickwheel/core";
import { abortOfAny } from "../health/abort-of-any.js";
import { BeatObserver } from "../beats/beat-observer.js";
import { BlockedNodes } from "../beats/blocked-nodes.js";
import type { Beginning, ClusterNodePorts, ClusterNodeOptions, ClusterStatus } from "./cluster-node-ports.js";
import { awayOf, clusterStatus } from "./cluster-status.js";
import { ConditionKeeper } from "./condition-keeper.js";
import { Health, noteHealth, ONCE } from "../health/health.js";
import type { HeartbeatSnapshot } from "../beats/heartbeat.js";
import { isFit } from "../beats/failure-detector.js";
import { Incarnation } from "./incarnation.js";
import { LEAVE_LIMIT_MS, mayStopClaiming } from "../views/leave-check.js";
import { LoopHeartbeat } from "../beats/loop-heartbeat.js";
import type { Membership, MembershipListener, Ownership } from "../views/membership.js";
import { asksToLeave, mayDispatch, mayLead, mayStand, type NodePhase } from "./node-state.js";
import { RendezvousOwnership } from "../views/ownership.js";
import { firstBeatMissing } from "./self-fence.js";
import { NodeLife } from "./node-life.js";
import { MessageGate } from "../messages/message-gate.js";
import { PeriodicLoop } from "../health/periodic-loop.js";
import { ViewKeeper } from "../views/view-keeper.js";

const LEAVE_CHECK_MS = 50;
const LOOP_JITTER = 0.1;

/**
 * This process as a node of the cluster: joins under a new boot id, beats, observes the others, knows the view, leads
 * when it holds the term, and rejoins when the others declared it dead. Pure functions beside this file decide.
 *
 * Errors of the store and of the medium end no loop: each tries again at its next turn. One event reports that
 * something fails, and one that it works again. Safety depends only on stopping in time: `canDispatch` reads the clock
 * itself, and work gets the order to stop (`fenced`) before another node may declare this one dead.
 *
 * @example
 * const node = new ClusterNode(ports, { label: "10.0.0.4:4711", version, roles: ["engine"], typeIds: [1], options });
 * node.listen({ viewChanged: () => loader.wake() });
 */
export class ClusterNode implements Membership, Service {
  readonly label: string;
  private readonly health: Health;
  private readonly condition: ConditionKeeper;
  private readonly observer: BeatObserver;
  private readonly blocked: BlockedNodes;
  private readonly views: ViewKeeper;
  private readonly gate: MessageGate;
  private readonly loops: PeriodicLoop[];
  private readonly viewLoop: PeriodicLoop;
  private readonly ports: Required<Omit<ClusterNodePorts, "health" | "events">> & Pick<ClusterNodePorts, "events">;
  private readonly clock: Clock;

  private incarnation: Incarnation | null = null;
  private owners = new RendezvousOwnership(null, null);
  private typeIds: readonly TypeId[];
  private typesWritten = true;
  private records: readonly NodeRecord[] = [];
  private life: NodeLife | null = null;

  constructor(
    ports: ClusterNodePorts,
    private readonly settings: ClusterNodeOptions,
  ) {
    const { health: all = new Health(ports.clock, ports.telemetry), ...others } = ports;
    const health = all.within(() => this.life !== null);
    this.ports = {
      ...others,
      heartbeat: ports.heartbeat ?? new LoopHeartbeat(ports, settings.options),
      reports: ports.reports ?? ports.store,
    };
    this.clock = ports.clock;
    this.label = settings.label;
    this.typeIds = settings.typeIds;
    this.health = health;
    this.condition = new ConditionKeeper({ telemetry: ports.telemetry, health }, settings.label);
    const shared = { ...this.ports, health };
    this.observer = new BeatObserver(shared, settings.options, () => this.ownBeatsGetThrough());
    this.blocked = new BlockedNodes({ ...this.ports, observer: this.observer }, () => this.bootId);
    this.views = new ViewKeeper(shared, (view) => this.viewChanged(view));
    const { livenessPollMs, heartbeatIntervalMs } = settings.options;
    this.viewLoop = this.loop(heartbeatIntervalMs, () => this.readView());
    this.gate = new MessageGate(this.clock, health, {
      view: () => this.views.number,
      newView: () => this.viewLoop.wake(),
      received: (message) => this.condition.tell((listener) => listener.received?.(message)),
    });
    this.loops = [this.loop(livenessPollMs, () => this.observe()), this.viewLoop];
  }

  get bootId(): BootId | null {
    return this.incarnation?.bootId ?? null;
  }

  get phase(): NodePhase {
    return this.condition.current.phase;
  }

  canDispatch(): boolean {
    return mayDispatch(this.condition.current) && this.incarnation?.isFresh === true;
  }

  ownership(): Ownership {
    return this.owners;
  }

  /** The leadership that this node holds, for a leader's duties; null while it does not lead. */
  leadership(): Leadership | null {
    return this.incarnation?.election.leadership ?? null;
  }

  /** What this node sees of all beats. */
  get beats(): Pick<BeatObserver, "beatAgeMs" | "waitingAt" | "webhooksAreSigned"> {
    return this.observer;
  }

  listen(listener: MembershipListener): () => void {
    return this.condition.listen(listener);
  }

  /**
   * Resolves once this node has joined and its first beat is good, however long the store is away, or when it is
   * stopped.
   */
  async start(): Promise<void> {
    while (this.life?.signal.aborted) await this.life.ended;
    this.life ??= new NodeLife((signal, joined) => this.live(signal, joined));
    await this.life.joined;
    if (!this.life?.signal.aborted) await this.observer.firstLook();
  }

  /**
   * Leaves the cluster, so that the others need not wait for this node's death. Stop working first (see
   * `announceLeaving`, `startDraining`).
   */
  async stop(): Promise<void> {
    const { life } = this;
    if (life === null) return;
    life.stop();
    await life.ended;
    if (this.life === life) this.life = null;
    this.health.look();
  }

  /** What this node's vitals say has changed, and somebody waits for it. */
  beatSoon(): void {
    if (this.incarnation !== null) this.ports.heartbeat.beatSoon();
  }

  /** Announces what this node can run from now on. A failed write is repeated each heartbeat. */
  async updateTypes(typeIds: readonly TypeId[]): Promise<void> {
    this.typeIds = typeIds;
    this.typesWritten = false;
    await this.writeTypes();
  }

  /**
   * First step of a drain: asks to be left out of the next view, while it still claims. Resolves once a view without
   * this node is a second old, after three seconds at the latest. A leader publishes that view itself, then gives the
   * term back.
   */
  async announceLeaving(): Promise<void> {
    const { incarnation } = this;
    const askedMonoMs = this.clock.monotonicMs();
    if (incarnation === null || this.life === null || !this.condition.apply("announce_leaving")) return;
    const { signal } = this.life;
    const timeIsUp = wait(this.clock, LEAVE_LIMIT_MS, signal);
    await Promise.race([incarnation.stepDown(), timeIsUp]);
    const { bootId } = incarnation;
    const mayStop = (): boolean => {
      const nowMonoMs = this.clock.monotonicMs();
      return mayStopClaiming({ bootId, known: this.views.known, nowMonoMs, askedMonoMs });
    };
    while (!signal.aborted && !mayStop()) await wait(this.clock, LEAVE_CHECK_MS, signal);
  }

  /**
   * Second step: nothing is claimed any more, here at once, in the store once a claim in flight is over.
   *
   * @returns false: the store did not answer, or does not hold this node for live
   */
  async startDraining(): Promise<boolean> {
    const { bootId } = this;
    this.condition.apply("start_draining");
    if (bootId === null) return false;
    const { store } = this.ports;
    const draining = await this.health.attempt("starting to drain", () => store.startDraining(bootId), ONCE);
    return draining.ok && draining.value;
  }

  /** The cluster, for display. Reads the node rows; while the store is away, the last ones read are shown. */
  async status(): Promise<ClusterStatus> {
    const operation = "reading the nodes for a status";
    const read = await this.health.attempt(operation, () => this.ports.reports.readNodes(), ONCE);
    if (read.ok) this.records = read.value;
    return clusterStatus({
      coordination: this.ports.coordination,
      term: this.incarnation?.election.term ?? null,
      view: this.views.number,
      degraded: [...this.health.list(), ...this.blocked.list()],
      records: this.records,
      observer: this.observer,
      joining: this.condition.current.phase === "joining" ? this.joiningRecord() : null,
    });
  }

  private joiningRecord(): NodeRecord {
    return { ...this.registration(this.bootId ?? ""), state: "live", joinedAt: 0 };
  }

  private async live(signal: AbortSignal, joined: () => void): Promise<void> {
    this.condition.apply("join");
    for (const loop of this.loops) loop.start();
    while (!signal.aborted && this.condition.current.phase === "joining") {
      const startMonoMs = this.clock.monotonicMs();
      const bootId = await this.join();
      if (bootId !== null) await this.incarnate({ bootId, joinedMonoMs: startMonoMs, signal, joined });
      // However an incarnation ends, there is a pause before the next one.
      const { heartbeatIntervalMs } = this.settings.options;
      const isHasty = this.clock.monotonicMs() - startMonoMs < heartbeatIntervalMs;
      if (!isHasty || this.condition.current.phase !== "joining") continue;
      await wait(this.clock, heartbeatIntervalMs * (0.5 + 0.5 * this.ports.random.next()), signal);
    }
    await Promise.all(this.loops.map((loop) => loop.stop()));
    this.gate.stop();
    this.condition.apply("left");
  }

  /** Each try has a boot id of its own: if its answer was lost, it is unknown what the try wrote. */
  private async join(): Promise<BootId | null> {
    const node = { ...this.registration(newBootId(this.ports.random)), places: this.settings.vitals?.().places };
    const joined = await this.health.attempt("joining", () => this.ports.store.join(node));
    if (!joined.ok) return null;
    this.typesWritten = node.typeIds === this.typeIds;
    return node.bootId;
  }

  /**
   * One incarnation, from its join until it is lost or stopped. The first good beat belongs to the join: until then
   * this node claims nothing. If none comes within the time after which others declare a node dead, it joins anew.
   */
  private async incarnate({ bootId, joinedMonoMs, signal, joined }: Beginning): Promise<void> {
    const ending = new AbortController();
    const incarnation = (this.incarnation = this.newIncarnation(bootId, joinedMonoMs, () => ending.abort()));
    this.owners = new RendezvousOwnership(this.views.view, bootId, this.owners);
    await incarnation.start();
    const { deadAfterBeats, heartbeatIntervalMs } = this.settings.options;
    const limitMs = deadAfterBeats * heartbeatIntervalMs;
    if (await incarnation.hasBeaten(limitMs, [signal, ending.signal])) {
      this.condition.joined(bootId);
      joined();
      await abortOfAny([signal, ending.signal]);
    }
    const wasLost = ending.signal.aborted;
    if (signal.aborted && !wasLost) this.condition.apply("left");
    else if (!wasLost) this.health.raise(firstBeatMissing(limitMs));
    await incarnation.stop();
    if (!wasLost) await this.sayGoodbye(bootId);
    this.incarnation = null;
  }

  private newIncarnation(bootId: BootId, joinedMonoMs: number, end: () => void): Incarnation {
    const { label, settings, condition, health, observer, views } = this;
    return new Incarnation(
      { ...this.ports, health, observer, views },
      {
        bootId,
        label,
        joinedMonoMs,
        options: settings.options,
        snapshot: () => this.snapshot(),
        mayLead: () => mayLead(condition.current),
        mayStand: () => mayStand(condition.current),
        isLeaving: () => asksToLeave(condition.current),
      },
      {
        beatLate: () => condition.beatLate(this.incarnation?.beatAgeMs ?? 0),
        beatGood: (good, isFresh) => condition.beatGood(good, isFresh),
        lost: () => {
          if (condition.lost(bootId)) end();
        },
        received: (arrived) => this.gate.pass(arrived),
        declaredDead: (dead) => condition.tell((listener) => listener.declaredDead?.(dead)),
      },
    );
  }

  private async sayGoodbye(bootId: BootId): Promise<void> {
    await this.health.attempt("leaving", () => this.ports.store.leave(bootId), ONCE);
    await this.ports.coordination.withdraw(this.label).catch(() => undefined);
  }

  private viewChanged(view: View): void {
    this.owners = new RendezvousOwnership(view, this.bootId, this.owners);
    this.condition.tell((listener) => listener.viewChanged?.(this.owners));
  }

  private async observe(): Promise<void> {
    await this.observer.runOnce();
    this.blocked.note();
    noteHealth(this.ports.coordination, this.health);
    this.health.look();
  }

  private async readView(): Promise<void> {
    await this.views.runOnce();
    await this.writeTypes();
  }

  private async writeTypes(): Promise<void> {
    const { bootId, typeIds } = this;
    if (this.typesWritten || bootId === null) return;
    const write = (): Promise<unknown> => this.ports.store.updateTypes(bootId, typeIds);
    const written = await this.health.attempt("writing the types", write, () => !this.typesWritten);
    if (written.ok && typeIds === this.typeIds && bootId === this.bootId) this.typesWritten = true;
  }

  private ownBeatsGetThrough(): boolean {
    return this.incarnation !== null && isFit(this.incarnation.beatAgeMs, this.settings.options);
  }

  private snapshot(): HeartbeatSnapshot {
    const ofNode = { leaving: asksToLeave(this.condition.current), view: this.views.number };
    const term = this.incarnation?.election.term?.term ?? 0;
    const ofEngine = { ...this.settings.vitals?.(), ...awayOf(this.ports.coordination) };
    const vitals = { ...FIRST_VITALS, ...ofNode, term, ownedSlots: this.owners.ownedCount, ...ofEngine };
    return { vitals, ownedSlots: this.owners.ownedSlots().bytes };
  }

  private registration(bootId: BootId): NodeRegistration {
    const { label, name, version, roles } = this.settings;
    return { bootId, label, ...(name === undefined ? {} : { name }), version, roles, typeIds: this.typeIds };
  }

  private loop(everyMs: number, work: () => Promise<void>): PeriodicLoop {
    return new PeriodicLoop(this.clock, { everyMs, jitter: { random: this.ports.random, share: LOOP_JITTER } }, work);
  }
}
