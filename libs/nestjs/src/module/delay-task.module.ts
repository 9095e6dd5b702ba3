import {
  type DynamicModule,
  Global,
  type InjectionToken,
  Module,
  type OnApplicationShutdown,
  type Provider,
} from "@nestjs/common";
import { DiscoveryModule, DiscoveryService, MetadataScanner, ModulesContainer } from "@nestjs/core";
import { SchedulerRegistry } from "@nestjs/schedule";
import { TickwheelError } from "@tickwheel/core";
import { DelayTaskHandlerExplorer } from "../handlers/delay-task-handler.explorer.js";
import type { DelayTaskNode } from "../node/delay-task.node.js";
import { openDelayTaskNode } from "../node/open-node.js";
import {
  type DelayTaskModuleAsyncOptions,
  type DelayTaskModuleOptions,
  type DelayTaskOptionsFactory,
  resolveDelayTaskOptions,
} from "../node/delay-task.options.js";
import { DelayTaskHealthIndicator } from "./delay-task.health.js";
import { DelayTaskOrchestrator, TICKWHEEL_SCHEDULER_REGISTRY } from "./delay-task.orchestrator.js";
import { DelayTaskService } from "./delay-task.service.js";
import { delayTaskHealthToken, delayTaskNodeToken, delayTasksToken } from "./tokens.js";

/** The name of a module, or null; in each of them. */
const NAME = Symbol("tickwheel module name");
const OPTIONS = Symbol("tickwheel options");
const CLOSING = Symbol("tickwheel closing");

type Name = string | null;

/** What every module may inject, and the connections behind it. Closed when all modules have been destroyed. */
@Global()
@Module({})
class DelayTaskCoreModule {
  static register(name: Name, options: Provider[], imports: DynamicModule["imports"]): DynamicModule {
    const nodeToken = delayTaskNodeToken(name);
    const ofNode = (token: InjectionToken, type: new (node: DelayTaskNode) => object): Provider => ({
      provide: token,
      inject: [nodeToken],
      useFactory: (node: DelayTaskNode) => new type(node),
    });
    return {
      module: DelayTaskCoreModule,
      imports,
      providers: [
        ...options,
        { provide: NAME, useValue: name },
        {
          provide: nodeToken,
          inject: [OPTIONS, ModulesContainer],
          useFactory: (given: DelayTaskModuleOptions, modules: ModulesContainer) => openNode(name, given, modules),
        },
        ofNode(delayTasksToken(name), DelayTaskService),
        ofNode(delayTaskHealthToken(name), DelayTaskHealthIndicator),
        ofNode(CLOSING, Closing),
      ],
      exports: [nodeToken, delayTasksToken(name), delayTaskHealthToken(name)],
    };
  }
}

/** Closes the connections when all modules have been destroyed. */
class Closing implements OnApplicationShutdown {
  constructor(private readonly node: DelayTaskNode) {}

  async onApplicationShutdown(): Promise<void> {
    await this.node.close();
  }
}

function openNode(name: Name, given: DelayTaskModuleOptions, modules: ModulesContainer): Promise<DelayTaskNode> {
  requireOnce(name, modules);
  return openDelayTaskNode(resolveDelayTaskOptions({ ...given, ...(name === null ? {} : { name }) }));
}

/** Two would be two nodes, and nobody could say whose service is injected. Before either has opened a connection. */
function requireOnce(name: Name, modules: ModulesContainer): void {
  if (namesOf(modules).filter((known) => known === name).length <= 1) return;
  const [what, way] =
    name === null
      ? ["DelayTaskModule", "give a further one a `name`"]
      : [`DelayTaskModule "${name}"`, "its name is its own"];
  throw new TickwheelError(
    "CONFIGURATION_INVALID",
    `${what} is imported twice: call forRoot or forRootAsync once, in the root module; its service can be injected everywhere. For another database ${way}.`,
  );
}

/** The names of all our modules of the process's application. */
function namesOf(modules: ModulesContainer): Name[] {
  const ours = [...modules.values()].filter(({ metatype }) => metatype === DelayTaskCoreModule);
  return ours.map((module) => (module.providers.get(NAME)?.instance ?? null) as Name);
}

/**
 * Delayed tasks in a Nest application. Import it once, in the root module, last: its node drains before the modules
 * before it close their clients. `DelayTaskService` can then be injected anywhere. For a further database import it
 * again with a `name`.
 *
 * @example DelayTaskModule.forRootAsync({ inject: [DataSource], useFactory: (dataSource) => ({ dataSource, redis: "redis://localhost" }) })
 * @example DelayTaskModule.forRoot({ name: "billing", url: process.env.BILLING_URL }) // @InjectDelayTasks("billing")
 */
@Module({})
export class DelayTaskModule {
  static forRoot(options: DelayTaskModuleOptions): DynamicModule {
    return DelayTaskModule.register(options.name ?? null, [{ provide: OPTIONS, useValue: options }], []);
  }

  static forRootAsync(options: DelayTaskModuleAsyncOptions): DynamicModule {
    return DelayTaskModule.register(options.name ?? null, asyncProviders(options), options.imports ?? []);
  }

  private static register(name: Name, options: Provider[], imports: DynamicModule["imports"]): DynamicModule {
    return {
      module: DelayTaskModule,
      imports: [DelayTaskCoreModule.register(name, options, imports), DiscoveryModule],
      providers: [
        {
          provide: DelayTaskHandlerExplorer,
          inject: [DiscoveryService, ModulesContainer],
          useFactory: (discovery: DiscoveryService, modules: ModulesContainer) =>
            new DelayTaskHandlerExplorer(discovery, new MetadataScanner(), () => namesOf(modules)),
        },
        {
          provide: DelayTaskOrchestrator,
          inject: [delayTaskNodeToken(name), DelayTaskHandlerExplorer, TICKWHEEL_SCHEDULER_REGISTRY],
          useFactory: (node: DelayTaskNode, explorer: DelayTaskHandlerExplorer, registry: SchedulerRegistry) =>
            new DelayTaskOrchestrator(node, explorer, registry),
        },
        // A registry of our own: ScheduleModule here would run the application's own jobs a second time.
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
