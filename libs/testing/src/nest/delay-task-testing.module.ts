import { type DynamicModule, Module } from "@nestjs/common";
import { DelayTaskModule, type DelayTaskModuleOptions, delayTaskNodeToken, TICKWHEEL_OPTIONS } from "@tickwheel/nestjs";
import type { ModuleNode } from "@tickwheel/nestjs/internals";
import { DelayTaskTesting } from "./delay-task-testing.js";
import { openTestingNode } from "./open-testing-node.js";
import type { DelayTaskTestingOptions } from "./testing-options.js";

/** The part of Nest's `TestingModuleBuilder` that is needed here. */
export interface TestingBuilder {
  overrideProvider(token: unknown): {
    useFactory(options: { factory: (...given: never[]) => unknown; inject?: unknown[] }): unknown;
  };
}

/**
 * `DelayTaskModule` for tests: the real scheduler with a clock that the test moves, in memory or, by one option, on a
 * real Postgres. It needs no test runner, and leaves no timer behind.
 *
 * @example
 * const app = await Test.createTestingModule({ imports: [OrdersModule, DelayTaskTestingModule.forRoot()] }).compile();
 * await app.init();
 * const tasks = DelayTaskTesting.of(app);
 */
@Module({})
export class DelayTaskTestingModule {
  /** In the place of `DelayTaskModule.forRoot()`, beside the modules under test. */
  static forRoot(options: DelayTaskTestingOptions = {}): DynamicModule {
    const name = options.name;
    const open = (given: DelayTaskModuleOptions): Promise<ModuleNode> => openTestingNode(given, options);
    const testing = {
      provide: DelayTaskTesting,
      inject: [delayTaskNodeToken(name)],
      useFactory: (node: ModuleNode) => DelayTaskTesting.ofNode(node),
    };
    return {
      module: DelayTaskTestingModule,
      imports: [DelayTaskModule.forRootOn(open, name === undefined ? {} : { name })],
      providers: [testing],
      exports: [DelayTaskTesting],
    };
  }

  /**
   * For a test of a whole application, which imports `DelayTaskModule` itself: its node is replaced by one of a test,
   * with the application's own options but for its database.
   *
   * @param options `name`: of which module, where it has one
   * @returns the builder
   * @example const app = await DelayTaskTestingModule.in(Test.createTestingModule({ imports: [AppModule] })).compile();
   */
  static in<Builder extends TestingBuilder>(builder: Builder, options: DelayTaskTestingOptions = {}): Builder {
    builder.overrideProvider(delayTaskNodeToken(options.name)).useFactory({
      factory: (given: DelayTaskModuleOptions) => openTestingNode(given, options),
      inject: [TICKWHEEL_OPTIONS],
    });
    return builder;
  }
}
