import { type DynamicModule, Module, type Type } from "@nestjs/common";
import { Test, type TestingModule } from "@nestjs/testing";
import { DelayTaskModule, DelayTaskService, type TaskView } from "@tickwheel/nestjs";
import { DelayTaskTesting, DelayTaskTestingModule } from "@tickwheel/testing/nest";
import { DataSource } from "typeorm";

/** Nobody connects to it. */
const NOWHERE = "postgres://nowhere.invalid/shop";

/** What a test gives a shop. */
interface Parts {
  modules: (Type | DynamicModule)[];
  /** In place of what the modules provide, by class. Default: nothing. */
  replaced?: ReadonlyMap<Type, object>;
  /** The shop's own database. Default: none, and nothing of it may be asked. */
  dataSource?: DataSource;
}

@Module({})
class ShopDatabaseModule {}

function databaseModule(dataSource: DataSource | undefined): DynamicModule {
  return {
    module: ShopDatabaseModule,
    global: true,
    providers: [{ provide: DataSource, useValue: dataSource }],
    exports: [DataSource],
  };
}

/**
 * Modules of the shop under test: their real services and handlers, with the scheduler's testing module. Tasks are in
 * memory. What the shop keeps itself is in its own database, and its transactions carry the tasks.
 *
 * @example
 * const shop = await ManualShop.open({ modules: [CouponsModule] });
 * await shop.goJustBefore(task.dueAt); // nothing has happened
 * await shop.goPast(task.dueAt); // now it has
 */
export class ManualShop {
  private constructor(
    private readonly app: TestingModule,
    private readonly tasks: DelayTaskTesting,
  ) {}

  static async open({ modules, replaced = new Map(), dataSource }: Parts): Promise<ManualShop> {
    const scheduler = DelayTaskModule.forRoot(dataSource ? { dataSource } : { url: NOWHERE });
    const builder = Test.createTestingModule({ imports: [databaseModule(dataSource), ...modules, scheduler] });
    for (const [type, value] of replaced) builder.overrideProvider(type).useValue(value);
    const app = await DelayTaskTestingModule.in(builder).compile();
    await app.init();
    return new ManualShop(app, DelayTaskTesting.of(app));
  }

  get<T>(type: Type<T>): T {
    return this.app.get(type, { strict: false });
  }

  get now(): Date {
    return this.tasks.now;
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
    await this.goPast(new Date(instant.getTime() - 1));
  }

  /** Up to an instant, and on until all that is due then has ended. */
  async goPast(instant: Date): Promise<void> {
    await this.tasks.advanceTo(new Date(Math.max(instant.getTime(), this.now.getTime())));
  }

  async pass(ms: number): Promise<void> {
    await this.tasks.advance(ms);
  }

  /** Up to an instant during which nobody runs tasks; a node is there again at its end. */
  async passWithoutNode(instant: Date): Promise<void> {
    await this.tasks.outage(instant.getTime() - this.now.getTime());
  }

  async close(): Promise<void> {
    await this.app.close();
  }
}
