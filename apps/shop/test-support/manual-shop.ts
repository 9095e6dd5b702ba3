import { type DynamicModule, type INestApplicationContext, Module, type Type } from "@nestjs/common";
import { Test } from "@nestjs/testing";
import type { SchedulerNode } from "@tickwheel/engine";
import { DelayTaskModule, DelayTaskNode, DelayTaskService, type TaskView } from "@tickwheel/nestjs";
import { MemoryWorld } from "@tickwheel/testing";
import { DataSource } from "typeorm";
import { JointDataSource } from "./joint-data-source.js";
import { memoryNode, NOWHERE } from "./memory-node.js";

/** What the scheduler counts time in. */
const TICK_MS = 1;
/** Longer waits pass without a node, but for their last part: a month is as quick as a minute. Milliseconds. */
const LONGEST_RUN_MS = 60_000;
const LAST_PART_MS = 30_000;
/** A start or a stop that takes longer hangs. Milliseconds of the manual clock. */
const HUNG_MS = 120_000;

/** What a test gives a shop. */
interface Parts {
  modules: (Type | DynamicModule)[];
  /** In place of what the modules provide, by class. Default: nothing. */
  replaced?: ReadonlyMap<Type, object>;
  /** The shop's own database. Default: none, and nothing of it may be asked. */
  dataSource?: DataSource;
}

@Module({})
class JointDatabaseModule {}

function databaseModule(joint: object | undefined): DynamicModule {
  return {
    module: JointDatabaseModule,
    global: true,
    providers: [{ provide: DataSource, useValue: joint }],
    exports: [DataSource],
  };
}

/**
 * Modules of the shop on a clock that stands still: their real services and handlers, found and run as in the shop, on
 * a real node of the scheduler. Only its stores are in memory. What the shop keeps itself is in its own database.
 *
 * @example
 * const shop = await ManualShop.open({ modules: [CouponsModule] });
 * await shop.goJustBefore(task.dueAt); // nothing has happened
 * await shop.goPast(task.dueAt); // now it has
 */
export class ManualShop {
  private constructor(
    private readonly world: MemoryWorld,
    private readonly app: INestApplicationContext,
    private readonly scheduler: SchedulerNode,
  ) {}

  static async open({ modules, replaced = new Map(), dataSource }: Parts): Promise<ManualShop> {
    const world = new MemoryWorld(1);
    const joint = dataSource && new JointDataSource(dataSource, world.database);
    const { node, scheduler } = memoryNode(world, joint);
    const testing = Test.createTestingModule({
      imports: [databaseModule(joint), ...modules, DelayTaskModule.forRoot({ url: NOWHERE, autoStart: false })],
    });
    for (const [type, value] of replaced) testing.overrideProvider(type).useValue(value);
    const app = await testing.overrideProvider(DelayTaskNode).useValue(node).compile();
    await app.init();
    const shop = new ManualShop(world, app, scheduler);
    await shop.start();
    return shop;
  }

  get<T>(type: Type<T>): T {
    return this.app.get(type, { strict: false });
  }

  get now(): Date {
    return new Date(this.world.database.now());
  }

  /** The task as it is now. */
  async task(id: string): Promise<TaskView> {
    return (await this.get(DelayTaskService).get(id))!;
  }

  /** When the last thing happened to the task. */
  async touchedAt(id: string): Promise<Date> {
    const journal = await this.get(DelayTaskService).journal(id);
    return journal!.items.at(-1)!.at;
  }

  /** Up to the last instant at which nothing of `instant` may have begun. */
  async goJustBefore(instant: Date): Promise<void> {
    await this.goTo(instant.getTime() - 1);
    await this.idle();
  }

  /**
   * Up to an instant, and on until all that is due then has ended. A node begins nothing before it is sure of the time:
   * by one tick later it has begun.
   */
  async goPast(instant: Date): Promise<void> {
    await this.goTo(instant.getTime() + TICK_MS);
    await this.idle();
    const areWritten = (): boolean => this.begun.length === 0;
    if (!(await this.world.clock.runUntil(areWritten, HUNG_MS))) throw new Error("An execution does not end.");
  }

  async pass(ms: number): Promise<void> {
    await this.goPast(new Date(this.now.getTime() + ms));
  }

  /** Up to an instant during which nobody runs tasks; a node is there again at its end. */
  async passWithoutNode(instant: Date): Promise<void> {
    await this.pump(this.scheduler.stop());
    await this.world.clock.advance(instant.getTime() - this.world.database.now());
    await this.start();
  }

  async close(): Promise<void> {
    await this.pump(this.scheduler.stop());
    await this.app.close();
  }

  private async goTo(instantMs: number): Promise<void> {
    const leftMs = instantMs - this.world.database.now();
    if (leftMs > LONGEST_RUN_MS) await this.passWithoutNode(new Date(instantMs - LAST_PART_MS));
    await this.world.clock.advance(instantMs - this.world.database.now());
  }

  private start(): Promise<void> {
    return this.pump(this.scheduler.start());
  }

  /** Handlers ask real services: the clock does not wait for those. */
  private async idle(): Promise<void> {
    do {
      await new Promise(setImmediate);
      await this.world.clock.settle();
    } while (this.begun.some(({ state }) => state === "running"));
  }

  /** Executions that have begun. Tasks are claimed some milliseconds before they are due. */
  private get begun() {
    return this.scheduler.holdings().executions.filter(({ state }) => state !== "claimed");
  }

  private async pump(work: Promise<void>): Promise<void> {
    let isDone = false;
    const done = work.finally(() => (isDone = true));
    await this.world.clock.runUntil(() => isDone, HUNG_MS);
    await done;
  }
}
