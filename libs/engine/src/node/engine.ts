import {
  type ClaimedTask,
  type Coordination,
  doneWithin,
  type HostRest,
  type LimitId,
  type LimitStore,
  type MetricReading,
  type NewTask,
  readingOf,
  type Service,
  type TaskHint,
  type TaskType,
  type TypeDeferral,
  type TypeId,
  type TypePolicy,
} from "@tickwheel/core";
import type { MembershipListener, RunningHandlers } from "@tickwheel/coordination";
import type { FailedAttempts } from "../ending/attempt-failures.js";
import { type Breakers, NO_BREAKERS } from "../breakers/type-breakers.js";
import { Capacity } from "../held/capacity.js";
import { Claimers } from "../claiming/claimers.js";
import { type ClusterMember, workerOf } from "./cluster-member.js";
import { Dispatcher } from "../running/dispatcher.js";
import { drain } from "./drain.js";
import { DueEntries, type WheelStats } from "../waiting/due-entries.js";
import { byWheel, DueFeed } from "../waiting/due-feed.js";
import { DueSweeper } from "../finding/due-sweeper.js";
import type { EngineContext } from "../runtime/engine-context.js";
import { type Committed, Executions } from "../held/executions.js";
import { FormerOwners } from "../finding/former-owners.js";
import { FullSweep } from "../finding/full-sweep.js";
import { Hints } from "../finding/hints.js";
import { TasksForOthers } from "../held/tasks-for-others.js";
import { type IntakeParts, MessageIntake } from "../finding/message-intake.js";
import type { EngineHoldings } from "../held/node-holdings.js";
import { Expirer } from "../finding/start-deadlines.js";
import { FlowLimits } from "../limits/flow-limits.js";
import { ReadyQueue } from "../waiting/ready-queue.js";
import { OccupiedTypes } from "../types/occupied-types.js";
import { Reaper } from "../recovery/reaper.js";
import { Reconciler } from "../recovery/reconciler.js";
import { hintOfSpawned } from "../requests/task-draft.js";
import { Settler } from "../ending/settler.js";
import type { SettingsReader } from "../types/settings-reader.js";
import { TimelineWatch } from "../recovery/timeline-watch.js";
import { TimerDriver } from "../waiting/timer-driver.js";
import type { TypeDirectory } from "../types/type-directory.js";
import { WindowLoader } from "../finding/window-loader.js";

interface EngineParts {
  member: ClusterMember;
  coordination: Coordination;
  types: TypeDirectory;
  runningHandlers: RunningHandlers;
  /** What the handler of a type on this node says of its tasks; undefined: nothing. */
  handlersWord(typeId: TypeId): TypePolicy | undefined;
  /** Whether this node has read the settings that are in force, as far as it knows. Default: there are none. */
  settings?: Pick<SettingsReader, "isCurrent" | "hinted"> | undefined;
  /** Default: nothing can be limited in the whole cluster. */
  limits?: LimitStore | undefined;
  /** Takes hints about tasks that consumers fetch, see `Hints`. Default: there are no consumers. */
  pulled?: ((hints: readonly TaskHint[]) => readonly TaskHint[]) | undefined;
  /** Default: no type has a breaker. */
  breakers?: Breakers | undefined;
  /** A handler asks that nothing of its type starts for a while. Default: nobody listens. */
  deferType?: (type: TaskType, deferral: TypeDeferral) => void;
  /** A host asks to be left alone for a while. Default: nobody listens. */
  restHost?: (type: TaskType, rest: HostRest) => void;
  /** An execution has ended its task, and the store knows. Default: nobody asks. */
  ended?: (task: ClaimedTask) => void;
}

/**
 * One node's engine: everything between a task that may be due and its acknowledged end. This class only connects the
 * parts and forwards the events of the membership:
 *
 *     hints, loader ──▶ wheel ──▶ ready queue ──▶ claimer ──▶ dispatcher ──▶ settler
 *     sweeper, full sweep ──────────▲                 ▲ reconciler, reaper: what got lost on the way
 */
export class Engine implements Service {
  private readonly executions: Executions;
  private readonly entries: DueEntries;
  private readonly ready: ReadyQueue;
  private readonly capacity: Capacity;
  private readonly driver: TimerDriver;
  private readonly settler: Settler;
  private readonly dispatcher: Dispatcher;
  private readonly claimers: Claimers;
  /** Null: nothing can be limited in the whole cluster. */
  private readonly flow: FlowLimits | null;
  private readonly loader: WindowLoader;
  private readonly sweeper: DueSweeper;
  private readonly expirer: Expirer;
  readonly fullSweep: FullSweep;
  private readonly reconciler: Reconciler;
  private readonly timelineWatch: TimelineWatch;
  private readonly reaper: Reaper;
  private readonly hints: Hints;
  private readonly intake: MessageIntake;
  private readonly formerOwners: FormerOwners;
  private stopListening: () => void = () => undefined;
  private resumption = 0;

  constructor(
    private readonly context: EngineContext,
    private readonly parts: EngineParts,
  ) {
    const { options, clock, dbClock } = context;
    const { member: membership, coordination, types, runningHandlers, settings, breakers = NO_BREAKERS } = parts;
    const { deferType, restHost } = parts;
    const isForgotten = (typeId: TypeId): boolean => types.isForgotten(typeId);
    const committed = (task: ClaimedTask, completion: Committed): void => this.committed(task, completion);
    const executions = (this.executions = new Executions(committed, isForgotten));
    const publish = (hints: TaskHint[]): void => this.publish(hints);
    const entries = (this.entries = new DueEntries(options.wheelCapacity, options.claimAheadMs));
    const ready = (this.ready = new ReadyQueue(options.wheelCapacity));
    const capacity = (this.capacity = new Capacity(options.concurrency, types, clock));
    capacity.addGate(breakers);
    const flow = (this.flow = this.limitFlow());
    const left = new TasksForOthers(clock);
    const feed = new DueFeed({ clock, dbClock, entries, ready, executions, types, left, leadMs: options.claimAheadMs });
    this.driver = new TimerDriver({ clock, dbClock, entries }, (expired) => feed.giveAgain(expired));
    const settler = (this.settler = new Settler(context, { executions, publish, ...this.endListeners() }));
    const placeFree = (): void => this.claimers.pump();
    const mayStart = (): boolean => membership.canDispatch() && settings?.isCurrent !== false;
    const formerOwners = (this.formerOwners = new FormerOwners(context, membership));
    const running = { executions, capacity, settler, types, breakers, runningHandlers, left, formerOwners };
    const dispatcher = new Dispatcher(context, { ...running, mayStart, placeFree, deferType, restHost });
    this.dispatcher = dispatcher;
    /** A claim's answer is lost, or a cancel may have been requested. */
    const replyLost = (): void => this.reconciler.wake();
    const starved = (): void => this.sweeper.wakeIfMore();
    const passedBy = (hints: readonly TaskHint[]): void => this.sweeper.passedBy(hints);
    const worker = workerOf(membership, mayStart);
    const claimerParts = { membership: worker, types, flow, ready, feed, capacity, executions, settler, dispatcher };
    const handlersWord = (typeId: TypeId): TypePolicy | undefined => parts.handlersWord(typeId);
    this.claimers = new Claimers(context, { ...claimerParts, handlersWord, replyLost, passedBy, starved });
    const occupied = new OccupiedTypes({ tasks: context.tasks, types, options });
    this.loader = new WindowLoader(context, { membership, formerOwners, types: occupied, entries, feed });
    const sweeping = { membership, types: occupied, feed };
    this.sweeper = new DueSweeper(context, { ...sweeping, sweepFully: () => this.fullSweep.wakeForSweep() });
    this.expirer = this.expireByPulse();
    this.fullSweep = new FullSweep(context, sweeping);
    this.reconciler = new Reconciler(context, { membership, executions, dispatcher, publish });
    this.reaper = new Reaper(context, { leadership: () => membership.leadership(), publish, types });
    this.timelineWatch = new TimelineWatch(context, () => {
      this.lookAgain();
      this.reconciler.wake();
    });
    const keep = (hints: TaskHint[]): void => void feed.give(hints, byWheel);
    this.hints = new Hints(context, { coordination, membership, pulled: parts.pulled, keep });
    this.intake = this.takeMessages({ keep, readCancels: replyLost });
    feed.connect({ entriesChanged: () => this.driver.entriesChanged(), readyChanged: placeFree });
  }

  /** Its handler's own transaction has completed a task. */
  private committed(task: ClaimedTask, { spawned, finishedAt }: Committed): void {
    this.context.tallies.succeeded(task.typeId, finishedAt);
    this.flow?.left(task);
    if (spawned) this.spawned(spawned);
    this.parts.ended?.(task);
  }

  /** Tasks that an execution of this node has spawned, and the store has written. */
  private spawned(tasks: readonly NewTask[]): void {
    const nowMs = this.context.dbClock.nowMs();
    for (const { typeId } of tasks) this.context.tallies.created(typeId);
    this.publish(tasks.map((task) => hintOfSpawned(task, nowMs)));
  }

  /** Resolves when the ends of all attempts that have returned are written, or given up. */
  endsWritten(): Promise<void> {
    return this.settler.whenIdle();
  }

  /** Tasks that this node has claimed and not yet ended, and handlers that have not returned. */
  get inFlight(): number {
    return this.capacity.inUse;
  }

  /**
   * Attempts that failed on this node since it was made: those that are tried again, and those that ended their tasks.
   */
  get failedAttempts(): FailedAttempts {
    return this.settler.failures;
  }

  /** How long handlers of each type held places since the last call, in milliseconds. */
  takePlaceMs(): [TypeId, number][] {
    return this.capacity.takePlaceMs();
  }

  get wheelSize(): number {
    return this.entries.size + this.ready.size;
  }

  wheel(): WheelStats {
    return this.entries.stats();
  }

  /** How much there is of what, now. */
  levels(): MetricReading[] {
    const { entries, bytes } = this.wheel();
    return [
      readingOf("tickwheel_settle_waiting", this.settler.backlog),
      readingOf("tickwheel_places", this.context.options.concurrency),
      readingOf("tickwheel_places_taken", this.capacity.inUse),
      readingOf("tickwheel_wheel_tasks", entries),
      readingOf("tickwheel_wheel_bytes", bytes),
      readingOf("tickwheel_due_tasks", this.ready.size),
    ];
  }

  holdings(): EngineHoldings {
    const { entries, ready, executions } = this;
    return {
      entries: [...entries.all(), ...ready.all()].map(({ id, dueAt }) => ({ taskId: id, dueAt })),
      claimsInFlight: executions.inClaim(),
      claimsInDoubt: executions.inDoubt(),
      executions: executions.all().map(({ task: { id, fence }, state }) => ({ id, fence, state })),
    };
  }

  async start(): Promise<void> {
    this.stopListening();
    this.stopListening = this.parts.member.listen(this.listener());
    this.dispatcher.admit();
    const services = [this.driver, this.claimers, this.reconciler, ...this.searches(), this.reaper];
    await Promise.all(services.map((service) => service.start()));
  }

  /** The orderly end: see {@link drain}. */
  async stop(): Promise<void> {
    const { executions, claimers, dispatcher, capacity, settler, reconciler } = this;
    const stopFinding = async (): Promise<void> => {
      await Promise.all([this.driver, ...this.searches(), this.reaper].map((service) => service.stop()));
    };
    const publish = (hints: TaskHint[]): void => this.publish(hints);
    const { member } = this.parts;
    const parts = { member, executions, claimers, dispatcher, capacity, settler, reconciler, stopFinding, publish };
    await drain(this.context, parts);
    this.stopListening();
    this.intake.stop();
    this.flow?.stop();
    this.ready.clear();
    this.entries.retain(() => false);
  }

  /** Sends hints to the owners of these tasks, this node included. */
  publish(hints: TaskHint[]): void {
    this.hints.publish(hints);
  }

  /** A task was cancelled before it ran. */
  forget(id: string): void {
    this.entries.drop(id);
  }

  /** Tells the node that runs a task about a cancel request for it. */
  cancelRunning(owner: string, ref: { id: string; fence: number }): void {
    if (owner === this.parts.member.bootId) this.dispatcher.cancel(ref);
    else void this.hints.cancelRunning(owner, ref);
  }

  /**
   * Settings were read. Resolves when nothing that they pause starts here any more, whatever was claimed before: claims
   * under way are answered, what has not started is given back, and what is limited has taken its places.
   *
   * @throws what the store throws
   */
  async obey(): Promise<void> {
    const { ready, dispatcher, claimers, settler, executions, flow, parts } = this;
    ready.drop((typeId) => parts.types.isPaused(typeId));
    dispatcher.giveBackPaused();
    flow?.reset();
    await claimers.whenAnswered();
    await settler.whenReleased();
    await flow?.adopt(executions.all().map(({ task }) => task));
  }

  /** The limits at which this node has found no place lately. */
  waits(): LimitId[] {
    return this.flow?.rounds.waits() ?? [];
  }

  /** Types may be claimed again that were not. */
  claimAgain(): void {
    this.claimers.pump();
  }

  /** Tasks that were left alone may run now. */
  settingsChanged(): void {
    this.lookAgain();
    this.claimers.pump();
  }

  private expireByPulse(): Expirer {
    const expiring = (): readonly TypeId[] => this.sweeper.expiring;
    const asksOwners = (): boolean => this.parts.member.leadership() !== null;
    this.context.pulse?.connect(() => ({ expiring: expiring(), asksOwners: asksOwners() }));
    return new Expirer(this.context, expiring);
  }

  private endListeners() {
    const { ended } = this.parts;
    const left = (task: ClaimedTask): void => this.flow?.left(task);
    const isAwaited = (typeId: TypeId): boolean => this.flow?.isCounted(typeId) === true;
    return { isAwaited, left, ended, spawned: (tasks: readonly NewTask[]): void => this.spawned(tasks) };
  }

  private takeMessages(does: Pick<IntakeParts, "keep" | "readCancels">): MessageIntake {
    const { context, executions, flow } = this;
    const roomFreed = (limitIds: readonly LimitId[]): void => flow?.rounds.hinted(limitIds);
    return new MessageIntake({ ...context, executions, ...does, lookAgain: () => this.lookAgain(), roomFreed });
  }

  private limitFlow(): FlowLimits | null {
    const { limits: store, types, coordination, member, settings } = this.parts;
    if (store === undefined) return null;
    const flow = new FlowLimits(this.context, {
      store,
      coordination,
      limitsOf: (typeId) => types.clusterLimitsOf(typeId),
      waitingAt: (limitIds) => member.beats.waitingAt(limitIds).filter((bootId) => bootId !== member.bootId),
      waiting: (typeId) => this.ready.sizeOf(typeId),
      claimable: () => this.claimers.pump(),
      outdated: () => settings?.hinted(),
    });
    this.capacity.addGate(flow.tokens);
    return flow;
  }

  private searches(): Service[] {
    return [this.loader, this.sweeper, this.expirer, this.fullSweep, this.timelineWatch];
  }

  private listener(): MembershipListener {
    return {
      viewChanged: (ownership) => {
        this.formerOwners.viewChanged(ownership);
        this.lookAgain();
      },
      fenced: () => {
        this.resumption++;
        this.dispatcher.refuse("lease_lost");
        this.dispatcher.abortRunning("lease_lost");
      },
      resumed: () => void this.resume(),
      joined: () => void this.resume(),
      received: (message) => this.intake.receive(message),
      declaredDead: () => this.reaper.wake(),
    };
  }

  private lookAgain(): void {
    this.loader.wake();
    this.sweeper.lookFromStart();
    this.sweeper.wake();
  }

  /** Settles what ended, releases what was aborted, then claims again. */
  private async resume(): Promise<void> {
    const resumption = ++this.resumption;
    this.dispatcher.releaseAborted();
    await doneWithin(this.context.clock, this.context.options.statementTimeoutMs, this.settler.whenIdle());
    if (resumption !== this.resumption) return;
    this.dispatcher.admit();
    this.reconciler.wake();
    this.lookAgain();
    this.claimers.pump();
  }
}
