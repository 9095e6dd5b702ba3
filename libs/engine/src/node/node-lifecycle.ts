import { type Service, type DeliveryKind, TickwheelError } from "@tickwheel/core";
import type { ClusterNode } from "@tickwheel/coordination";
import type { TypeBreakers } from "../breakers/type-breakers.js";
import type { EngineContext } from "../runtime/engine-context.js";
import type { TypeDirectory } from "../types/type-directory.js";
import type { SchedulerNodeOptions, NodeType } from "./scheduler-node-options.js";
import { StartRetries } from "./start-retries.js";
import { RUN_BY } from "../requests/rejections.js";

/** Writes what it still holds when its node leaves. */
interface LeavingService extends Service {
  leave(): Promise<void>;
}

/** What a node starts and stops. */
export interface LifecycleParts {
  coordination: Service;
  types: TypeDirectory;
  /** Reads what people set. Absent: nothing can be set. */
  settingsReader: Service | undefined;
  limitLevels: Service | undefined;
  /** Null: none opens. */
  breakers: { reader: Service; types: Pick<TypeBreakers, "stop"> } | null;
  /** Null: this node is a member. */
  spectator: Service | null;
  /** Null: it only looks on. */
  member: Pick<ClusterNode, "start" | "stop" | "updateTypes"> | null;
  engine: Service | null;
  housekeeping: readonly Service[];
  /** What makes the tasks that schedules and batches have to follow. */
  planners: readonly Service[];
  tallyKeeper: LeavingService;
  findings: Service;
  /** What looks at the servers. */
  serverLooks: readonly Service[];
  /** Null: nobody keeps what has happened to the cluster. */
  eventKeeper: LeavingService | null;
}

/**
 * In which order the parts of a node start, and in which they stop. Starts and stops take turns, in the node's own
 * asynchronous context; a stop aborts the starts that have not finished. A start that fails stops what it has started.
 */
export class NodeLifecycle implements Service {
  private turn: Promise<void> = Promise.resolve();
  /** Aborts the starts that have not finished, including those that still wait for their turn. */
  private readonly openings = new Set<AbortController>();
  private isOpening = false;
  private startWaits: () => void = () => undefined;
  private isOpen = false;
  private isClosing = false;

  /** @param options types and preparations are read at each start */
  constructor(
    private readonly context: EngineContext,
    private readonly options: Pick<SchedulerNodeOptions, "types" | "preparations">,
    private readonly parts: LifecycleParts,
  ) {}

  /** Whether a start has finished and no stop was requested since. */
  get isStarted(): boolean {
    return this.isOpen && !this.isOpening && !this.isClosing;
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
    if (this.isOpening) void this.context.home.run(() => this.parts.member?.stop());
    return this.inTurn(() => this.close());
  }

  private async open(signal: AbortSignal): Promise<void> {
    if (this.isOpen || signal.aborted) return;
    this.isOpen = true;
    this.isOpening = true;
    const { coordination, types, settingsReader, limitLevels, breakers, spectator, member, engine } = this.parts;
    const { housekeeping, planners, tallyKeeper, findings, serverLooks, eventKeeper } = this.parts;
    try {
      await coordination.start();
      if (!(await this.reachStore(signal))) return;
      await types.start();
      await settingsReader?.start();
      await limitLevels?.start();
      await breakers?.reader.start();
      await spectator?.start();
      if (signal.aborted) return;
      await member?.start();
      await engine?.start();
      const keepers = [tallyKeeper, ...serverLooks, findings, ...(eventKeeper ? [eventKeeper] : [])];
      for (const service of [...housekeeping, ...planners, ...keepers]) await service.start();
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

  private async registerTypes(): Promise<void> {
    const { types, member } = this.parts;
    await registerTypes(types, this.options.types);
    await member?.updateTypes(types.runnable());
  }

  private async close(): Promise<void> {
    if (!this.isOpen) return;
    this.isClosing = true;
    const { coordination, types, settingsReader, limitLevels, breakers, spectator, member, engine } = this.parts;
    const { housekeeping, planners, tallyKeeper, findings, serverLooks, eventKeeper } = this.parts;
    const housekeepingEnds = Promise.all(housekeeping.map((service) => service.stop()));
    await findings.stop();
    for (const look of serverLooks) await look.stop();
    await engine?.stop();
    // Behind the engine: what ends in the drain has a next occurrence.
    for (const service of planners) await service.stop();
    await housekeepingEnds;
    for (const keeper of [tallyKeeper, eventKeeper]) {
      await keeper?.stop();
      await keeper?.leave();
    }
    await member?.stop();
    await spectator?.stop();
    breakers?.types.stop();
    await breakers?.reader.stop();
    await limitLevels?.stop();
    await settingsReader?.stop();
    await types.stop();
    await this.context.dbClock.stop();
    await coordination.stop();
    this.context.health.look();
    this.isOpen = false;
    this.isClosing = false;
  }

  private inTurn(change: () => Promise<void>): Promise<void> {
    const done = this.context.home.run(() => this.turn.then(change));
    this.turn = done.catch(() => undefined);
    return done;
  }
}

/**
 * Registers the types that a node runs, and reads those that there are.
 *
 * @throws TickwheelError `TYPE_DELIVERY_CONFLICT`: another kind of delivery runs one of them
 */
async function registerTypes(directory: TypeDirectory, types: readonly NodeType[]): Promise<void> {
  for (const { namespace, type, delivery } of types) {
    const known = await directory.register({ namespace, type, delivery });
    if (known.delivery !== delivery) throw deliveryConflict(known.type, known.delivery);
  }
  await directory.runOnce();
}

function deliveryConflict(type: string, delivery: DeliveryKind): TickwheelError {
  const message = `tasks of type "${type}" are ${RUN_BY[delivery]} since its first task, so this node cannot run it otherwise`;
  return new TickwheelError("TYPE_DELIVERY_CONFLICT", message, { details: { type, delivery } });
}
