import type {
  AnnouncedPolicy,
  ClaimedTask,
  HostRest,
  MetricReading,
  Service,
  TaskHint,
  TaskType,
  TypeDeferral,
  TypeId,
  TypePolicy,
} from "@tickwheel/core";
import {
  ClusterNode,
  type ClusterStatus,
  type EngineVitals,
  type Ownership,
  RunningHandlers,
} from "@tickwheel/coordination";
import { type FailedAttempts, NO_FAILURES } from "../ending/attempt-failures.js";
import { holdingsOf, readReport, vitalsOf } from "./node-report.js";
import { type OpenSettings, openSettings } from "./open-settings.js";
import { StatusReader } from "./status-reader.js";
import { Engine } from "./engine.js";
import { FigureService } from "../findings/figure-service.js";
import { FindingsKeeper } from "../findings/findings-keeper.js";
import { HeldSnapshots } from "../findings/held-snapshots.js";
import { UnsafeSettings } from "../findings/unsafe-settings.js";
import { housekeepersOf } from "../upkeep/housekeepers.js";
import { policiesOf } from "../upkeep/policy-keeper.js";
import type { PeriodicService } from "../runtime/periodic-service.js";
import type { NodeHoldings } from "../held/node-holdings.js";
import type { SchedulerNodeOptions, SchedulerNodePorts } from "./scheduler-node-options.js";
import { type NodeFeatures, openFeatures } from "./open-features.js";
import { nodeAnnouncer } from "./node-announcer.js";
import { NodeBreakers } from "./node-breakers.js";
import { nodeContext, type NodeContext } from "./node-context.js";
import { NodeLifecycle } from "./node-lifecycle.js";
import { nodeMetrics } from "./node-metrics.js";
import { timedLimitStore } from "../runtime/timed-stores.js";
import { TallyKeeper } from "../upkeep/tally-keeper.js";
import { TaskService } from "../requests/task-service.js";
import type { ClusterReport, TypeDefaults } from "../requests/requests.js";
import type { Announcer } from "../requests/announcer.js";
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
  /** Null: there is no store of breakers. */
  readonly breakers: NodeBreakers | null;
  private readonly context: NodeContext;
  private readonly types: TypeDirectory;
  /** On a node without the engine. */
  private readonly spectator: StatusReader | null = null;
  /** On a node with the engine. */
  private readonly member: ClusterNode | null = null;
  private readonly engine: Engine | null = null;
  private readonly housekeeping: readonly Service[] = [];
  /** Schedules, batches, operations and queues. */
  readonly features: NodeFeatures;
  private readonly tallyKeeper: TallyKeeper;
  private readonly unsafeSettings: UnsafeSettings;
  private readonly heldSnapshots: HeldSnapshots;
  private readonly findings: FindingsKeeper;
  private readonly lifecycle: NodeLifecycle;
  private readonly words = new Map<TypeId, TypePolicy>();
  private readonly pulled = (hints: readonly TaskHint[]): readonly TaskHint[] =>
    this.features.queues?.take(hints) ?? hints;

  constructor(
    private readonly ports: SchedulerNodePorts,
    private readonly options: SchedulerNodeOptions,
  ) {
    const { coordination } = ports;
    this.context = nodeContext(ports, options);
    this.tallyKeeper = new TallyKeeper(this.context, options.label, () => this.engine?.takePlaceMs() ?? []);
    const { dbClock } = this.context;
    const inForce = new SettingsInForce({ dbClock, typeOf: (typeId) => this.types.get(typeId) });
    this.types = this.knowTypes(inForce);
    if (options.roles.includes("engine")) this.member = this.takeSeat();
    const { member } = this;
    const seat = { coordination, inForce, member, engine: () => this.engine };
    this.opened = openSettings(this.context, {
      ...seat,
      store: ports.settings,
      limits: ports.limits,
      standsStill: options.standsStill ?? false,
    });
    this.breakers = this.openBreakers();
    if (member !== null) {
      this.engine = this.openEngine(member);
      this.housekeeping = this.housekeepers(member, inForce);
    } else {
      this.spectator = this.lookOn();
    }
    this.unsafeSettings = new UnsafeSettings(this.context, { figures: ports.figures ?? null, coordination });
    this.heldSnapshots = new HeldSnapshots(this.context, ports.figures ?? null);
    this.findings = this.keepFindings();
    this.figures = this.openFigures();
    const announcer = this.announcer();
    this.service = this.openService(announcer);
    this.features = this.openFeatures(announcer);
    this.lifecycle = this.lifecycleOf();
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
    return this.lifecycle.isStarted;
  }

  /** What this node holds and knows now, for people and tests. */
  holdings(): NodeHoldings {
    const { member, engine, types, context } = this;
    return holdingsOf({ member, engine, types, health: context.health, ownership: this.ownership() });
  }

  /** What this node has counted and measured since it was made, and as the leader what it sees of the cluster. */
  metrics(): Promise<MetricReading[]> {
    const { context, member, engine, isReady, types, findings, figures, settings, breakers } = this;
    const { queues } = this.features;
    const sources = { ...context, member, engine, isReady, types, findings, figures, settings, breakers, queues };
    return this.context.home.run(() => nodeMetrics({ ...sources, ownership: this.ownership() }));
  }

  /**
   * Writes the ends of what has returned, plans what schedules and batches have to follow, reads the store's clock and
   * looks for everything that is due, at once instead of at their next turns. For tests whose clock stands still.
   *
   * @throws what the store throws
   */
  catchUp(): Promise<void> {
    return this.context.home.run(async () => {
      await this.engine?.endsWritten();
      for (const service of this.planners) await service.runOnce();
      // With a new reading, what is due starts without waiting for the error of an older one.
      await this.context.dbClock.runOnce();
      await this.engine?.fullSweep.runOnce();
    });
  }

  /** What makes the tasks that schedules and batches have to follow, and the pages of operations; what ends leases. */
  private get planners(): readonly PeriodicService[] {
    return Object.values(this.features).flatMap(
      (made: { services: readonly PeriodicService[] } | null) => made?.services ?? [],
    );
  }

  /** The full sweep, for lists of background loops; null without the engine. */
  get fullSweep(): Service | null {
    return this.engine?.fullSweep ?? null;
  }

  /** Calls `listener`, the only one, when a start waits for the store. */
  onStartWaits(listener: () => void): void {
    this.lifecycle.onStartWaits(listener);
  }

  start(): Promise<void> {
    this.service.ends.start();
    this.features.queues?.open();
    return this.lifecycle.start();
  }

  stop(): Promise<void> {
    this.service.ends.stop();
    this.features.queues?.close();
    return this.lifecycle.stop();
  }

  private knowTypes(settings: SettingsInForce): TypeDirectory {
    const { reloadIntervalMs: refreshIntervalMs, typeQuotaPerNamespace: typeQuota } = this.options.scheduler;
    const { executors } = this.ports;
    return new TypeDirectory({ ...this.context, executors, refreshIntervalMs, settings, typeQuota });
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

  private openEngine(member: ClusterNode): Engine {
    const { types, context, opened } = this;
    const { coordination, runningHandlers = new RunningHandlers() } = this.ports;
    const ended = (task: ClaimedTask): void => this.taskEnded(task);
    const settings = opened?.reader;
    types.onRunnableChange(() => void context.home.run(() => member.updateTypes(types.runnable())));
    const { statementTimeoutMs } = this.options.scheduler;
    const limits = this.ports.limits && timedLimitStore(this.ports.limits, context.clock, statementTimeoutMs);
    const deferType = (type: TaskType, deferral: TypeDeferral): void => opened?.deferrals.ask(type, deferral);
    const restHost = ({ namespace }: TaskType, rest: HostRest): void => this.breakers?.hosts.ask(namespace, rest);
    const told = { ended, deferType, restHost };
    const breakers = this.breakers?.types;
    const handlersWord = (typeId: TypeId): TypePolicy | undefined => this.handlersWord(typeId);
    const known = { types, runningHandlers, handlersWord, settings, limits, breakers };
    return new Engine(context, { member, coordination, pulled: this.pulled, ...known, ...told });
  }

  private openBreakers(): NodeBreakers | null {
    const { context, types, member } = this;
    const { breakers: store, coordination } = this.ports;
    if (store === undefined) return null;
    const ownership = (): Ownership => this.ownership();
    const claimAgain = (): void => this.engine?.claimAgain();
    return new NodeBreakers(context, { store, coordination, types, member, ownership, claimAgain });
  }

  private housekeepers(member: ClusterNode, inForce: SettingsInForce): Service[] {
    const policies = (): AnnouncedPolicy[] => policiesOf(this.options.types, this.types);
    const { policies: store, deadLetters } = this.ports;
    const keepers = housekeepersOf(this.context, { store, deadLetters, member, policies, inForce });
    return [...keepers, ...(this.opened?.keepers ?? [])];
  }

  private lookOn(): StatusReader {
    const { cluster, reports = cluster, coordination } = this.ports;
    return new StatusReader({ ...this.context, cluster, reports, coordination });
  }

  private keepFindings(): FindingsKeeper {
    const { figures = null, findings = null, policies, schedules, batches, operations, deadLetters } = this.ports;
    return new FindingsKeeper(this.context, {
      label: this.options.label,
      figures,
      findings,
      policies,
      schedules,
      batches,
      operations,
      deadLetters,
      settings: () => this.settings?.scene ?? null,
      breakers: () => this.breakers?.all() ?? [],
      unsafeSettings: () => this.unsafeSettings.known,
      heldSnapshots: () => this.heldSnapshots.known,
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
    const { context, opened, wheelSize, inFlight } = this;
    const { signsWebhooks } = this.options;
    const obeyed = opened?.reader.obeyed ?? null;
    const waits = this.engine?.waits() ?? [];
    return vitalsOf({ ...context, wheelSize, inFlight, signsWebhooks, obeyed, waits });
  }

  private announcer(): Announcer {
    const { context, engine, ports } = this;
    const { coordination } = ports;
    return nodeAnnouncer(context, engine, { coordination, ownership: () => this.ownership(), pulled: this.pulled });
  }

  private openService(announcer: Announcer): TaskService {
    const { clock, random, tasks } = this.ports;
    const { dbClock, tallies } = this.context;
    return new TaskService({
      clock,
      random,
      tasks,
      dbClock,
      types: this.types,
      tallies,
      ...announcer,
      standsStill: this.options.standsStill ?? false,
      pendingQuota: this.options.scheduler.pendingTaskQuotaPerNamespace,
      maxWebhookTimeoutMs: this.options.scheduler.maxWebhookTimeoutMs,
      defaultsOf: (namespace, type) => this.defaultsOf(namespace, type),
      ownership: () => this.ownership(),
      forgottenCancels: () => this.opened?.settings.forgottenCancels() ?? [],
      haltsOf: ({ typeId, key }) => ({
        pause: this.opened?.settings.pauseOfTask({ typeId, key }) ?? null,
        breaker: this.breakers?.ofType(typeId) ?? null,
        limit: this.opened?.levels?.fullLimitOf(typeId) ?? null,
      }),
      report: () => this.report(),
      wheel: () => this.engine?.wheel() ?? { entries: 0, bytes: 0 },
    });
  }

  private openFeatures(announcer: Announcer): NodeFeatures {
    const { ports, options, types, service, member } = this;
    return openFeatures(this.context, {
      ports,
      options,
      types,
      service,
      member,
      announcer,
      ownership: () => this.ownership(),
      defaultsOf: (namespace, type) => this.defaultsOf(namespace, type),
    });
  }

  /** Last of all: what starts and stops is made by then. */
  private lifecycleOf(): NodeLifecycle {
    const { opened, types, spectator, member, engine, housekeeping, planners } = this;
    const { tallyKeeper, findings, unsafeSettings, heldSnapshots } = this;
    return new NodeLifecycle(this.context, this.options, {
      coordination: this.ports.coordination,
      types,
      settingsReader: opened?.reader,
      limitLevels: opened?.levels ?? undefined,
      breakers: this.breakers,
      spectator,
      member,
      engine,
      housekeeping,
      planners,
      tallyKeeper,
      findings,
      serverLooks: [unsafeSettings, heldSnapshots],
      eventKeeper: this.context.events ?? null,
    });
  }

  private taskEnded(task: ClaimedTask): void {
    this.features.schedules?.taskEnded(task);
    this.features.batches?.taskEnded(task);
    this.service.ends.ended(task.id);
  }

  private ownership(): Ownership {
    return (this.member ?? this.spectator!).ownership();
  }

  private defaultsOf(namespace: string, type: string): TypeDefaults {
    return this.options.types.find((known) => known.type === type && known.namespace === namespace) ?? {};
  }

  /** Kept by type: a claim asks for each task that it brings. */
  private handlersWord(typeId: TypeId): TypePolicy | undefined {
    const known = this.words.get(typeId);
    if (known !== undefined) return known;
    const type = this.types.get(typeId);
    if (type !== undefined) this.words.set(typeId, this.defaultsOf(type.namespace, type.type));
    return this.words.get(typeId);
  }

  private status(): Promise<ClusterStatus> {
    return (this.member ?? this.spectator!).status();
  }

  private report(): Promise<ClusterReport> {
    const { types, ports, context } = this;
    return readReport({ ...ports, types, dbClock: context.dbClock, status: () => this.status() });
  }
}
