import { type Clock, type Executor, type PausedKey, type TaskStore, type TaskType, type TypeId } from "@tickwheel/core";
import type { Health } from "@tickwheel/coordination";
import { PeriodicService } from "../runtime/periodic-service.js";
import { type LimitsOfType, UNLIMITED } from "./limits-in-force.js";
import type { SettingsInForce } from "./settings-in-force.js";

interface DirectorySource {
  clock: Clock;
  health: Health;
  tasks: TaskStore;
  executors: readonly Executor[];
  refreshIntervalMs: number;
  typeQuota: number;
  /** What people have set. Absent: nothing. */
  settings?: Pick<
    SettingsInForce,
    "concurrencyOf" | "hasLimits" | "isForgotten" | "isPaused" | "limitsOf" | "pauseOfTask" | "pausedKeysOf"
  >;
}

type WantedType = Omit<TaskType, "id">;

/** Milliseconds between two reads of the list for types that this node does not know. */
const LOOK_UP_INTERVAL_MS = 1_000;

/**
 * The types that exist, and which of them this node can run. A type changes nothing but its policy, so known types stay
 * right. Types that other nodes made, and policies, are read each `refreshIntervalMs`, and dropped types are forgotten
 * then. Bounded by the types that exist.
 */
export class TypeDirectory extends PeriodicService {
  private readonly byId = new Map<TypeId, TaskType>();
  private readonly byName = new Map<string, TaskType>();
  private readonly executors = new Map<TypeId, Executor>();
  private readonly pulledTypes = new Set<TypeId>();
  private readonly limits = new Map<TypeId, number | undefined>();
  /** The types that this node can run. */
  private readonly namespaces = new Set<string>();
  private lookedUpMonoMs = -LOOK_UP_INTERVAL_MS;
  private lookUpUnderWay: Promise<void> = Promise.resolve();
  private nextLookUp: Promise<void> | null = null;
  private changed: () => void = () => undefined;

  constructor(private readonly source: DirectorySource) {
    super("types", source);
  }

  get(typeId: TypeId): TaskType | undefined {
    return this.byId.get(typeId);
  }

  /** How this type runs here; absent: this node cannot run it. */
  executorOf(typeId: TypeId): Executor | undefined {
    return this.executors.get(typeId);
  }

  /** All types that this node knows, including those of other nodes. */
  known(): TypeId[] {
    return [...this.byId.keys()];
  }

  /** The types that this node can run. */
  runnable(): TypeId[] {
    return [...this.executors.keys()];
  }

  /** Whether consumers fetch the tasks of any type. */
  get hasPulled(): boolean {
    return this.pulledTypes.size > 0;
  }

  isPulled(typeId: TypeId): boolean {
    return this.pulledTypes.has(typeId);
  }

  /** The types whose tasks consumers fetch. */
  pulled(): TypeId[] {
    return [...this.pulledTypes];
  }

  /** How many types this node can run. */
  count(): number {
    return this.executors.size;
  }

  namespaceOf(typeId: TypeId): string | undefined {
    return this.byId.get(typeId)?.namespace;
  }

  /** The number of namespaces whose types this node can run. */
  namespaceCount(): number {
    return this.namespaces.size;
  }

  /**
   * How many tasks of a type may run here at once, as people have set it, else its handler; absent: the node's limit.
   */
  limitOf(typeId: TypeId): number | undefined {
    return this.source.settings?.concurrencyOf(typeId) ?? this.limits.get(typeId);
  }

  /** Whether anything is limited in the whole cluster. */
  get hasLimits(): boolean {
    return this.source.settings?.hasLimits === true;
  }

  /** What limits a type in the whole cluster. */
  clusterLimitsOf(typeId: TypeId): LimitsOfType {
    return this.source.settings?.limitsOf(typeId) ?? UNLIMITED;
  }

  /** Whether the whole cluster limits how many tasks of this type run, or how often they start. */
  isLimited(typeId: TypeId): boolean {
    return this.clusterLimitsOf(typeId) !== UNLIMITED;
  }

  /** Whether a success of this type only deletes its task. */
  isForgotten(typeId: TypeId): boolean {
    return this.source.settings?.isForgotten(typeId) === true;
  }

  /** Whether nothing of this type may be claimed or started just now. */
  isPaused(typeId: TypeId): boolean {
    return this.source.settings?.isPaused(typeId) === true;
  }

  /** Whether this task may not start just now: its type is paused, or its key. */
  isTaskPaused(task: { typeId: TypeId; key: string | null }): boolean {
    const { settings } = this.source;
    return settings !== undefined && settings.pauseOfTask(task) !== null;
  }

  /** The keys of these tasks' types that may be paused, for their claim. */
  pausedKeysOf(tasks: readonly { typeId: TypeId }[]): PausedKey[] {
    return this.source.settings?.pausedKeysOf(tasks) ?? [];
  }

  /** Called whenever this node can run one type more, or one less. */
  onRunnableChange(listener: () => void): void {
    this.changed = listener;
  }

  /** A type that this node knows. */
  find(named: { namespace: string; type: string }): TaskType | undefined {
    return this.byName.get(nameOf(named));
  }

  /**
   * The same, where it matters whether others have made it just now: the list is read for a type that this node does
   * not know, at most once a second.
   *
   * @throws TickwheelError what the store throws
   */
  async lookUp(named: { namespace: string; type: string }): Promise<TaskType | undefined> {
    const found = this.find(named);
    if (found) return found;
    await this.readLately();
    return this.find(named);
  }

  /**
   * The same by its number, which a task or a claim has brought: so there was such a type, and the list is read at
   * once, in one read for all who ask meanwhile.
   */
  async lookUpId(typeId: TypeId): Promise<TaskType | undefined> {
    const found = this.get(typeId);
    if (found) return found;
    await (this.nextLookUp ??= this.readAnew());
    return this.get(typeId);
  }

  /** The type's record, committed by the store before its first task. An existing type keeps its first delivery. */
  async ensure(wanted: WantedType): Promise<TaskType> {
    return this.find(wanted) ?? this.make(wanted, this.source.typeQuota);
  }

  /**
   * The same for a type that this node has a handler for: no quota, however many types callers have made, stops a
   * start.
   */
  async register(wanted: WantedType): Promise<TaskType> {
    return this.find(wanted) ?? this.make(wanted);
  }

  async runOnce(): Promise<void> {
    const before = [...this.byId.values()];
    const types = await this.source.tasks.listTypes();
    this.forgetOthers(before, types);
    this.learn(types);
  }

  protected intervalMs(): number {
    return this.source.refreshIntervalMs;
  }

  /** Reads the list unless that was done within a second; a caller who asks meanwhile waits for the same answer. */
  private readLately(): Promise<void> {
    if (this.source.clock.monotonicMs() - this.lookedUpMonoMs >= LOOK_UP_INTERVAL_MS) this.beginLookUp();
    return this.lookUpUnderWay;
  }

  /** A read that is under way may have begun before the type was there. */
  private async readAnew(): Promise<void> {
    await this.lookUpUnderWay.catch(() => undefined);
    this.nextLookUp = null;
    this.beginLookUp();
    await this.lookUpUnderWay;
  }

  private beginLookUp(): void {
    this.lookedUpMonoMs = this.source.clock.monotonicMs();
    this.lookUpUnderWay = this.runOnce();
  }

  private async make(wanted: WantedType, quota?: number): Promise<TaskType> {
    const type = await this.source.tasks.ensureType(wanted, quota);
    this.learn([type]);
    return type;
  }

  /** Only types known before the list was asked for: a type made meanwhile is not in it yet. */
  private forgetOthers(before: readonly TaskType[], types: readonly TaskType[]): void {
    const listed = new Set(types.map(({ id }) => id));
    const runnableBefore = this.executors.size;
    for (const type of before) {
      if (listed.has(type.id)) continue;
      this.byId.delete(type.id);
      this.byName.delete(nameOf(type));
      this.executors.delete(type.id);
      this.pulledTypes.delete(type.id);
      this.limits.delete(type.id);
    }
    if (this.executors.size < runnableBefore) this.runnableChanged();
  }

  private learn(types: readonly TaskType[]): void {
    for (const type of types) {
      this.byId.set(type.id, type);
      this.byName.set(nameOf(type), type);
      if (type.delivery === "pull") this.pulledTypes.add(type.id);
    }
    this.findExecutors();
  }

  /** Checks all types without a handler: handlers may have been added meanwhile. */
  private findExecutors(): void {
    const before = this.executors.size;
    for (const type of this.byId.values()) {
      if (this.executors.has(type.id)) continue;
      const executor = this.source.executors.find((candidate) => candidate.canRun(type));
      if (!executor) continue;
      this.executors.set(type.id, executor);
      this.limits.set(type.id, executor.limits(type).concurrency);
    }
    if (this.executors.size > before) this.runnableChanged();
  }

  private runnableChanged(): void {
    this.namespaces.clear();
    for (const typeId of this.executors.keys()) this.namespaces.add(this.byId.get(typeId)!.namespace);
    this.changed();
  }
}

function nameOf({ namespace, type }: { namespace: string; type: string }): string {
  return `${namespace}\0${type}`;
}
