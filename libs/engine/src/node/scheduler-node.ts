import {
  type AnnouncedPolicy,
  type ClaimedTask,
  type MetricReading,
  type Service,
  SystemContext,
} from "@tickwheel/core";
import {
  ClusterNode,
  type ClusterStatus,
  Health,
  type EngineVitals,
  type Ownership,
  RunningHandlers,
} from "@tickwheel/coordination";
import { type FailedAttempts, NO_FAILURES } from "../ending/attempt-failures.js";
import { holdingsOf, readReport, vitalsOf } from "./node-report.js";
import { type OpenSettings, openSettings } from "./open-settings.js";
import { StatusReader } from "./status-reader.js";
import { DbClock } from "../runtime/db-clock.js";
import { Engine } from "./engine.js";
import type { EngineContext } from "../runtime/engine-context.js";
import { ClusterEventKeeper } from "../upkeep/cluster-event-keeper.js";
import { FigureService } from "../findings/figure-service.js";
import { FindingsKeeper } from "../findings/findings-keeper.js";
import { housekeepersOf } from "../upkeep/housekeepers.js";
import { policiesOf } from "../upkeep/policy-keeper.js";
import { MeteredClock } from "../runtime/metered-clock.js";
import type { PeriodicService } from "../runtime/periodic-service.js";
import type { NodeHoldings } from "../held/node-holdings.js";
import type { SchedulerNodeOptions, SchedulerNodePorts } from "./scheduler-node-options.js";
import { nodeAnnouncer } from "./node-announcer.js";
import { registerTypes } from "./register-types.js";
import { StartRetries } from "./start-retries.js";
import { NodeMeters } from "../counting/node-meters.js";
import { nodeMetrics } from "./node-metrics.js";
import { Tallies } from "../counting/tallies.js";
import { TallyKeeper } from "../upkeep/tally-keeper.js";
import { TaskService } from "../requests/task-service.js";
import type { AnnouncedSchedule } from "@tickwheel/schedules";
import type { ClusterReport, TypeDefaults } from "../requests/requests.js";
import type { Announcer } from "../requests/announcer.js";
import { NodeBatches } from "../batches/node-batches.js";
import { NodeSchedules } from "../schedules/node-schedules.js";
import { timedTaskStore } from "../runtime/timed-task-store.js";
import type { NodeSettings } from "../types/node-settings.js";
import { SettingsInForce } from "../types/settings-in-force.js";
import { TypeDirectory } from "../types/type-directory.js";

/**
 * One node, put together: its task service, and with the role `engine` its place in the cluster, its engine and its
 * housekeeping.
 *
 * `service` works at any time, also before `start` and on a node without the engine. `start` resolves when the node is
 * ready, however long the store is away (`StartRetries`), or when it is stopped; it rejects for what waiting cannot
 * cure, such as a right that is missing or a type of ours that is run otherwise, and nothing is left running then.
 * `stop` drains (up to `drainTimeoutMs` and a little); both may be called at any time, in any order, twice: they take
 * turns. All background work resumes by itself when the store or the bus was away.
 *
 * The node's own work runs in the asynchronous context in which it was made. A caller's context ends where the service
 * hands work to the engine, and at each timer of the clock.
 */
export class SchedulerNode implements Service {
  readonly service: TaskService;
  readonly figures: FigureService;
  private readonly opened: OpenSettings | null;
  private readonly home = new SystemContext();
  private readonly clock: MeteredClock;
  private readonly context: EngineContext;
  private readonly types: TypeDirectory;
  /** On a node without the engine. */
  private readonly spectator: StatusReader | null = null;
  /** On a node with the engine. */
  private readonly member: ClusterNode | null = null;
  private readonly engine: Engine | null = null;
  private readonly housekeeping: Service[] = [];
  /** Null: there is no store of batches. */
  readonly batches: NodeBatches | null;
  /** Null: there is no store of schedules. */
  readonly schedules: NodeSchedules | null;
  private readonly tallyKeeper: TallyKeeper;
  private readonly findings: FindingsKeeper;
  /** Null: nobody keeps what has happened to the cluster. */
  private readonly eventKeeper: ClusterEventKeeper | null;
  private turn: Promise<void> = Promise.resolve();
  /** Aborts the starts that have not finished, including those that still wait for their turn. */
  private readonly openings = new Set<AbortController>();
  private isOpening = false;
  private startWaits: () => void = () => undefined;
  private isOpen = false;
  private isClosing = false;

  constructor(
    private readonly ports: SchedulerNodePorts,
    private readonly options: SchedulerNodeOptions,
  ) {
    const { random, telemetry, cluster, coordination, executors } = ports;
    const meters = new NodeMeters();
    const clock = (this.clock = new MeteredClock(ports.clock, meters));
    const { statementTimeoutMs, clockResampleMs: resampleMs, reloadIntervalMs: refreshIntervalMs } = options.scheduler;
    const health = new Health(clock, telemetry);
    const tasks = timedTaskStore(ports.tasks, clock, statementTimeoutMs);
    const dbClock = new DbClock({ clock, health, tasks, resampleMs });
    this.eventKeeper = ports.events ? new ClusterEventKeeper({ clock, health, telemetry }, ports.events) : null;
    const own = { home: this.home, tallies: new Tallies(meters), events: this.eventKeeper ?? undefined };
    const shared = { clock, random, tasks, telemetry, health, dbClock, meters };
    this.context = { ...shared, ...own, options: options.scheduler };
    this.tallyKeeper = new TallyKeeper(this.context, options.label, () => this.engine?.takePlaceMs() ?? []);
    const inForce = new SettingsInForce({ dbClock, typeOf: (typeId) => this.types.get(typeId) });
    const source = { clock, health, tasks, executors, refreshIntervalMs, settings: inForce };
    this.types = new TypeDirectory({ ...source, typeQuota: options.scheduler.typeQuotaPerNamespace });
    if (options.roles.includes("engine")) this.member = this.takeSeat();
    const { member, types } = this;
    const seat = { coordination, inForce, member, engine: () => this.engine };
    const opened = (this.opened = openSettings(this.context, { ...seat, store: ports.settings }));
    if (member !== null) {
      const runningHandlers = ports.runningHandlers ?? new RunningHandlers();
      const ended = (task: ClaimedTask): void => this.taskEnded(task);
      const settings = opened?.reader;
      this.engine = new Engine(this.context, { member, coordination, types, runningHandlers, settings, ended });
      const policies = (): AnnouncedPolicy[] => policiesOf(options.types, types);
      const keepers = housekeepersOf(this.context, { store: ports.policies, member, policies, inForce });
      this.housekeeping = [...keepers, ...(opened?.keepers ?? [])];
      types.onRunnableChange(() => void this.home.run(() => member.updateTypes(types.runnable())));
    } else {
      const reports = ports.reports ?? cluster;
      this.spectator = new StatusReader({ clock, health, cluster, reports, coordination });
    }
    this.findings = this.keepFindings();
    this.figures = this.openFigures();
    const announcer = this.announcer();
    this.service = this.openService(announcer);
    this.schedules = this.openSchedules(announcer);
    this.batches = this.openBatches(announcer);
  }

  /** What people set for types and keys; null: there is no store of settings. */
  get settings(): NodeSettings | null {
    return this.opened?.settings ?? null;
  }

  /** Tasks that this node has claimed and handlers that have not returned. */
  get inFlight(): number {
    return this.engine?.inFlight ?? 0;
  }

  /**
   * Attempts that failed on this node since it was made: those that are tried again, and those that ended their tasks.
   */
  get failedAttempts(): FailedAttempts {
    const { failed, dead } = this.engine?.failedAttempts ?? NO_FAILURES;
    return { failed, dead };
  }

  /** Tasks that this node would wake up for. */
  get wheelSize(): number {
    return this.engine?.wheelSize ?? 0;
  }

  /** Whether a present node that runs tasks signs webhooks; also true while that is unknown. */
  get webhooksAreSigned(): boolean {
    return this.member?.beats.webhooksAreSigned() ?? false;
  }

  /** Whether requests should be sent here: started, not about to stop, and not cut off from the cluster. */
  get isReady(): boolean {
    return this.isStarted && (this.member?.canDispatch() ?? true);
  }

  /** Whether a start has finished and no stop was requested since. */
  get isStarted(): boolean {
    return this.isOpen && !this.isOpening && !this.isClosing;
  }

  /** What this node holds and knows now, for people and tests. */
  holdings(): NodeHoldings {
    const { member, engine, types, context } = this;
    return holdingsOf({ member, engine, types, health: context.health, ownership: this.ownership() });
  }

  /** What this node has counted and measured since it was made, and as the leader what it sees of the cluster. */
  metrics(): Promise<MetricReading[]> {
    const { context, member, engine, isReady, types, findings, figures, settings } = this;
    const sources = { ...context, member, engine, isReady, types, findings, figures, settings };
    return this.home.run(() => nodeMetrics({ ...sources, ownership: this.ownership() }));
  }

  /**
   * Writes the ends of what has returned, plans what schedules and batches have to follow, reads the store's clock and
   * looks for everything that is due, at once instead of at their next turns. For tests whose clock stands still.
   *
   * @throws what the store throws
   */
  catchUp(): Promise<void> {
    return this.home.run(async () => {
      await this.engine?.endsWritten();
      for (const service of this.planners) await service.runOnce();
      // With a new reading, what is due starts without waiting for the error of an older one.
      await this.context.dbClock.runOnce();
      await this.engine?.fullSweep.runOnce();
    });
  }

  /** What makes the tasks that schedules and batches have to follow. */
  private get planners(): readonly PeriodicService[] {
    return [...(this.schedules?.services ?? []), ...(this.batches?.services ?? [])];
  }

  /** The full sweep, for lists of background loops; null without the engine. */
  get fullSweep(): Service | null {
    return this.engine?.fullSweep ?? null;
  }

  /** Calls `listener`, the only one, when a start waits for the store. */
  onStartWaits(listener: () => void): void {
    this.startWaits = listener;
  }

  start(): Promise<void> {
    const opening = new AbortController();
    this.openings.add(opening);
    return this.inTurn(() => this.open(opening.signal)).finally(() => this.openings.delete(opening));
  }

  stop(): Promise<void> {
    // A start that waits for a store that is away must not hold this up.
    for (const opening of this.openings) opening.abort();
    if (this.isOpening) void this.home.run(() => this.member?.stop());
    return this.inTurn(() => this.close());
  }

  private async open(signal: AbortSignal): Promise<void> {
    if (this.isOpen || signal.aborted) return;
    this.isOpen = true;
    this.isOpening = true;
    try {
      await this.ports.coordination.start();
      if (!(await this.reachStore(signal))) return;
      await this.types.start();
      await this.opened?.reader.start();
      await this.spectator?.start();
      if (signal.aborted) return;
      await this.member?.start();
      await this.engine?.start();
      const keepers = [this.tallyKeeper, this.findings, ...(this.eventKeeper ? [this.eventKeeper] : [])];
      for (const service of [...this.housekeeping, ...this.planners, ...keepers]) await service.start();
    } catch (error) {
      await this.close();
      throw error;
    } finally {
      this.isOpening = false;
    }
  }

  /** Everything that a start needs of the store; false: it must stop. */
  private async reachStore(signal: AbortSignal): Promise<boolean> {
    const patience = new StartRetries({ ...this.context, waits: () => this.startWaits() });
    const own = [
      { doing: "reading its clock", run: () => this.context.dbClock.start() },
      { doing: "registering the types", run: () => this.registerTypes() },
    ];
    return (await patience.throughAll(this.options.preparations ?? [], signal)) && patience.throughAll(own, signal);
  }

  private async close(): Promise<void> {
    if (!this.isOpen) return;
    this.isClosing = true;
    const housekeepingEnds = Promise.all(this.housekeeping.map((service) => service.stop()));
    await this.findings.stop();
    await this.engine?.stop();
    // Behind the engine: what ends in the drain has a next occurrence.
    for (const service of this.planners) await service.stop();
    await housekeepingEnds;
    for (const keeper of [this.tallyKeeper, this.eventKeeper]) {
      await keeper?.stop();
      await keeper?.leave();
    }
    await this.member?.stop();
    await this.spectator?.stop();
    await this.opened?.reader.stop();
    await this.types.stop();
    await this.context.dbClock.stop();
    await this.ports.coordination.stop();
    this.context.health.look();
    this.isOpen = false;
    this.isClosing = false;
  }

  private async registerTypes(): Promise<void> {
    await registerTypes(this.types, this.options.types);
    await this.member?.updateTypes(this.types.runnable());
  }

  private takeSeat(): ClusterNode {
    const { clock, random, cluster: store, reports, coordination, telemetry, heartbeat } = this.ports;
    const { health, events } = this.context;
    const { label, name, version, roles, scheduler: options } = this.options;
    return new ClusterNode(
      { clock, random, store, reports, coordination, telemetry, heartbeat, health, events },
      { label, name, version, roles, typeIds: [], options, vitals: () => this.vitals() },
    );
  }

  private keepFindings(): FindingsKeeper {
    const { figures = null, findings = null, policies, schedules, batches } = this.ports;
    return new FindingsKeeper(this.context, {
      ...{ label: this.options.label, figures, findings, policies, schedules, batches },
      settings: () => this.settings?.scene ?? null,
      isLeading: () => this.member !== null && this.member.leadership() !== null,
      status: () => this.status(),
      overCapacity: figures ? () => this.figures.overCapacity() : undefined,
    });
  }

  private openFigures(): FigureService {
    const { figures = null, events = null } = this.ports;
    const view = { status: () => this.status(), ownership: () => this.ownership() };
    return new FigureService({ findings: this.findings, figures, events, view });
  }

  private vitals(): EngineVitals {
    const { clock, context, opened, wheelSize, inFlight } = this;
    const { signsWebhooks } = this.options;
    return vitalsOf({ ...context, clock, wheelSize, inFlight, signsWebhooks, obeyed: opened?.reader.obeyed ?? null });
  }

  private announcer(): Announcer {
    const { context, engine, ports } = this;
    return nodeAnnouncer(context, engine, { coordination: ports.coordination, ownership: () => this.ownership() });
  }

  private openService(announcer: Announcer): TaskService {
    const { clock, random, tasks } = this.ports;
    const { dbClock, tallies } = this.context;
    return new TaskService({
      ...{ clock, random, tasks, dbClock, types: this.types, tallies },
      ...announcer,
      pendingQuota: this.options.scheduler.pendingTaskQuotaPerNamespace,
      maxWebhookTimeoutMs: this.options.scheduler.maxWebhookTimeoutMs,
      defaultsOf: (namespace, type) => this.defaultsOf(namespace, type),
      ownership: () => this.ownership(),
      pauseOfTask: (task) => this.opened?.settings.pauseOfTask(task) ?? null,
      report: () => this.report(),
      wheel: () => this.engine?.wheel() ?? { entries: 0, bytes: 0 },
    });
  }

  private openSchedules(announcer: Announcer): NodeSchedules | null {
    const { schedules: store } = this.ports;
    if (!store) return null;
    const definitions = (): readonly AnnouncedSchedule[] => this.options.schedules ?? [];
    return new NodeSchedules(this.context, {
      announcer,
      quota: this.service.quota,
      store,
      types: this.types,
      defaultsOf: (namespace, type) => this.defaultsOf(namespace, type),
      member: this.member,
      definitions,
    });
  }

  private openBatches(announcer: Announcer): NodeBatches | null {
    const { batches: store } = this.ports;
    if (!store) return null;
    return new NodeBatches(this.context, {
      ...{ store, service: this.service, announcer },
      ownership: () => this.ownership(),
      isEngine: this.member !== null,
    });
  }

  private taskEnded(task: ClaimedTask): void {
    this.schedules?.taskEnded(task);
    this.batches?.taskEnded(task);
  }

  private ownership(): Ownership {
    return (this.member ?? this.spectator!).ownership();
  }

  private defaultsOf(namespace: string, type: string): TypeDefaults {
    return this.options.types.find((known) => known.type === type && known.namespace === namespace) ?? {};
  }

  private status(): Promise<ClusterStatus> {
    return (this.member ?? this.spectator!).status();
  }

  private report(): Promise<ClusterReport> {
    const { types, ports, context } = this;
    return readReport({ ...ports, types, dbClock: context.dbClock, status: () => this.status() });
  }

  private inTurn(change: () => Promise<void>): Promise<void> {
    const done = this.home.run(() => this.turn.then(change));
    this.turn = done.catch(() => undefined);
    return done;
  }
}
