import { type DynamicModule, Global, Inject, Module, type OnApplicationShutdown, type Provider } from "@nestjs/common";
import { DiscoveryModule, ModulesContainer } from "@nestjs/core";
import { SchedulerRegistry } from "@nestjs/schedule";
import { TickwheelError } from "@tickwheel/core";
import { DelayTaskHandlerExplorer } from "../handlers/delay-task-handler.explorer.js";
import { DelayTaskNode, openDelayTaskNode } from "../node/delay-task.node.js";
import {
  type DelayTaskModuleAsyncOptions,
  type DelayTaskModuleOptions,
  type DelayTaskOptionsFactory,
  resolveDelayTaskOptions,
} from "../node/delay-task.options.js";
import { DelayTaskOrchestrator, TICKWHEEL_SCHEDULER_REGISTRY } from "./delay-task.orchestrator.js";
import { DelayTaskService } from "./delay-task.service.js";

const OPTIONS = Symbol("tickwheel options");

/** What every module may inject, and the connections behind it. Closed when all modules have been destroyed. */
@Global()
@Module({})
class DelayTaskCoreModule implements OnApplicationShutdown {
  constructor(@Inject(DelayTaskNode) private readonly node: DelayTaskNode) {}

  static register(options: Provider[], imports: DynamicModule["imports"]): DynamicModule {
    const node: Provider = {
      provide: DelayTaskNode,
      inject: [OPTIONS, ModulesContainer],
      useFactory: (given: DelayTaskModuleOptions, modules: ModulesContainer) => {
        requireOnce(modules);
        return openDelayTaskNode(resolveDelayTaskOptions(given));
      },
    };
    return {
      module: DelayTaskCoreModule,
      imports,
      providers: [...options, node, DelayTaskService],
      exports: [DelayTaskService, DelayTaskNode],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.node.close();
  }
}

/** Two would be two nodes, and nobody could say whose service is injected. Before either has opened a connection. */
function requireOnce(modules: ModulesContainer): void {
  if ([...modules.values()].filter(({ metatype }) => metatype === DelayTaskCoreModule).length <= 1) return;
  throw new TickwheelError(
    "CONFIGURATION_INVALID",
    "DelayTaskModule is imported twice: call forRoot or forRootAsync once, in the root module; its service can be injected everywhere.",
  );
}

/**
 * Delayed tasks in a Nest application. Import it once, in the root module, last: its node drains before the modules
 * before it close their clients. `DelayTaskService` can then be injected anywhere.
 *
 * @example DelayTaskModule.forRootAsync({ inject: [DataSource], useFactory: (dataSource) => ({ dataSource, redis: "redis://localhost" }) })
 */
@Module({})
export class DelayTaskModule {
  static forRoot(options: DelayTaskModuleOptions): DynamicModule {
    return DelayTaskModule.register([{ provide: OPTIONS, useValue: options }], []);
  }

  static forRootAsync(options: DelayTaskModuleAsyncOptions): DynamicModule {
    return DelayTaskModule.register(asyncProviders(options), options.imports ?? []);
  }

  private static register(options: Provider[], imports: DynamicModule["imports"]): DynamicModule {
    return {
      module: DelayTaskModule,
      imports: [DelayTaskCoreModule.register(options, imports), DiscoveryModule],
      // A registry of our own: ScheduleModule here would run the application's own jobs a second time.
      providers: [
        DelayTaskHandlerExplorer,
        DelayTaskOrchestrator,
        { provide: TICKWHEEL_SCHEDULER_REGISTRY, useClass: SchedulerRegistry },
      ],
    };
  }
}

function asyncProviders(options: DelayTaskModuleAsyncOptions): Provider[] {
  if (options.useFactory)
    return [
      {
        provide: OPTIONS,
        inject: (options.inject ?? []) as never[],
        useFactory: options.useFactory as () => DelayTaskModuleOptions,
      },
    ];
  const factory = options.useExisting ?? options.useClass;
  if (!factory) throw new Error("DelayTaskModule.forRootAsync needs useFactory, useClass or useExisting");
  const provider: Provider = {
    provide: OPTIONS,
    inject: [factory],
    useFactory: (made: DelayTaskOptionsFactory) => made.createDelayTaskOptions(),
  };
  return options.useClass ? [options.useClass, provider] : [provider];
}
