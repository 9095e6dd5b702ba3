import {
  type DynamicModule,
  Global,
  type InjectionToken,
  Module,
  type OnApplicationShutdown,
  type OptionalFactoryDependency,
  type Provider,
} from "@nestjs/common";
import { DiscoveryModule, DiscoveryService, MetadataScanner, ModulesContainer } from "@nestjs/core";
import { SchedulerRegistry } from "@nestjs/schedule";
import { TickwheelError } from "@tickwheel/core";
import { DelayTaskHandlerExplorer } from "../handlers/delay-task-handler.explorer.js";
import { DelayTaskNode, DelayTaskService } from "@tickwheel/node/internals";
import { DelayedPublishBinder } from "../publishing/delayed-publish.binder.js";
import {
  type DelayTaskModuleAsyncOptions,
  type DelayTaskModuleOptions,
  type DelayTaskOptionsFactory,
  type ModuleNode,
  resolveDelayTaskOptions,
} from "./delay-task.options.js";
import { openDelayTaskNode } from "./open-node.js";
import { CronTakeover } from "./cron-takeover.js";
import { DelayTaskHealthIndicator } from "../tokens/delay-task.health.js";
import { DelayTaskOrchestrator, TICKWHEEL_SCHEDULER_REGISTRY } from "./delay-task.orchestrator.js";
import { delayTaskHealthToken, delayTaskNodeToken, delayTasksToken } from "../tokens/tokens.js";

/** The name of a module, or null; in each of them. */
const NAME = Symbol("tickwheel module name");
const CLOSING = Symbol("tickwheel closing");
/** What a module was given: its options as they are written. In each of them. */
export const TICKWHEEL_OPTIONS = Symbol("tickwheel options");

type Name = string | null;

/** Makes the node of a module from what the module was given. */
export type OpenNode = (given: DelayTaskModuleOptions) => Promise<ModuleNode>;

interface Registration {
  options: Provider[];
  imports: DynamicModule["imports"];
  open: OpenNode;
}

/** What the module without a name is injected by as well. */
const CLASSES = [
  { provide: DelayTaskNode, useExisting: delayTaskNodeToken() },
  { provide: DelayTaskService, useExisting: delayTasksToken() },
  { provide: DelayTaskHealthIndicator, useExisting: delayTaskHealthToken() },
];

/** What every module may inject, and the connections behind it. Closed when all modules have been destroyed. */
@Global()
@Module({})
class DelayTaskCoreModule {
  static register(name: Name, { options, imports, open }: Registration): DynamicModule {
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
          inject: [TICKWHEEL_OPTIONS, ModulesContainer],
          useFactory: (given: DelayTaskModuleOptions, modules: ModulesContainer) =>
            openNode(open, withName(name, given), modules),
        },
        ofNode(delayTasksToken(name), DelayTaskService),
        ofNode(delayTaskHealthToken(name), DelayTaskHealthIndicator),
        ofNode(CLOSING, Closing),
        ...(name === null ? CLASSES : []),
      ],
      exports: [
        nodeToken,
        delayTasksToken(name),
        delayTaskHealthToken(name),
        ...(name === null ? CLASSES.map(({ provide }) => provide) : []),
      ],
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

function openNode(open: OpenNode, given: DelayTaskModuleOptions, modules: ModulesContainer): Promise<ModuleNode> {
  requireOnce(given.name ?? null, modules);
  return open(given);
}

function withName(name: Name, given: DelayTaskModuleOptions): DelayTaskModuleOptions {
  return { ...given, ...(name === null ? {} : { name }) };
}

const openForApplication: OpenNode = async (given) => openDelayTaskNode(resolveDelayTaskOptions(given));

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
    return DelayTaskModule.forRootOn(openForApplication, options);
  }

  /**
   * As `forRoot`, on a node that `open` makes: for the testing library, whose node has a clock that is moved by hand.
   */
  static forRootOn(open: OpenNode, options: DelayTaskModuleOptions): DynamicModule {
    const given = [{ provide: TICKWHEEL_OPTIONS, useValue: options }];
    return DelayTaskModule.register(options.name ?? null, { options: given, imports: [], open });
  }

  static forRootAsync<const Tokens extends readonly (InjectionToken | OptionalFactoryDependency)[] = []>(
    options: DelayTaskModuleAsyncOptions<Tokens>,
  ): DynamicModule {
    const given = {
      options: asyncProviders(options as AnyAsyncOptions),
      imports: options.imports ?? [],
      open: openForApplication,
    };
    return DelayTaskModule.register(options.name ?? null, given);
  }

  private static register(name: Name, registration: Registration): DynamicModule {
    return {
      module: DelayTaskModule,
      imports: [DelayTaskCoreModule.register(name, registration), DiscoveryModule],
      providers: [
        {
          provide: DelayTaskHandlerExplorer,
          inject: [DiscoveryService, ModulesContainer],
          useFactory: (discovery: DiscoveryService, modules: ModulesContainer) =>
            new DelayTaskHandlerExplorer(discovery, new MetadataScanner(), () => namesOf(modules)),
        },
        {
          provide: DelayedPublishBinder,
          inject: [DiscoveryService],
          useFactory: (discovery: DiscoveryService) => new DelayedPublishBinder(discovery),
        },
        {
          provide: CronTakeover,
          inject: [delayTaskNodeToken(name), DelayTaskHandlerExplorer, ModulesContainer],
          useFactory: (...parts: ConstructorParameters<typeof CronTakeover>) => new CronTakeover(...parts),
        },
        {
          provide: DelayTaskOrchestrator,
          inject: [
            delayTaskNodeToken(name),
            DelayTaskHandlerExplorer,
            CronTakeover,
            TICKWHEEL_SCHEDULER_REGISTRY,
            DelayedPublishBinder,
          ],
          useFactory: (...parts: ConstructorParameters<typeof DelayTaskOrchestrator>) =>
            new DelayTaskOrchestrator(...parts),
        },
        // A registry of our own: ScheduleModule here would run the application's own jobs a second time.
        { provide: TICKWHEEL_SCHEDULER_REGISTRY, useClass: SchedulerRegistry },
      ],
    };
  }
}

type AnyAsyncOptions = DelayTaskModuleAsyncOptions;

function asyncProviders(options: AnyAsyncOptions): Provider[] {
  if (options.useFactory)
    return [
      {
        provide: TICKWHEEL_OPTIONS,
        inject: (options.inject ?? []) as never[],
        useFactory: options.useFactory as unknown as () => DelayTaskModuleOptions,
      },
    ];
  const factory = options.useExisting ?? options.useClass;
  if (!factory) throw new Error("DelayTaskModule.forRootAsync needs useFactory, useClass or useExisting");
  const provider: Provider = {
    provide: TICKWHEEL_OPTIONS,
    inject: [factory],
    useFactory: (made: DelayTaskOptionsFactory) => made.createDelayTaskOptions(),
  };
  return options.useClass ? [options.useClass, provider] : [provider];
}
