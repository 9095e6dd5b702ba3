import type { InjectionToken, ModuleMetadata, OptionalFactoryDependency, Type } from "@nestjs/common";
import { textRule } from "@tickwheel/calls";
import {
  type DelayTaskNode,
  type DelayTaskNodeOptions,
  NODE_OPTION_NAMES,
  type OptionRules,
  type ResolvedNodeOptions,
  resolveNodeOptions,
  trueOrFalse,
} from "@tickwheel/node/internals";

/** Options of `DelayTaskModule`. The named times and limits of the scheduler are options too, under their own names. */
export interface DelayTaskModuleOptions extends DelayTaskNodeOptions {
  /**
   * Tells this module from others in the same process, for further databases: its service is injected by
   * `@InjectDelayTasks(name)`, its handlers say `{ module: name }`. 1 to 64 characters. Default none: the one that
   * `DelayTaskService` is of. With `forRootAsync` it stands beside the factory.
   */
  name?: string | undefined;
  /** False: the engine waits for `start()`. Default true. */
  autoStart?: boolean | undefined;
  /**
   * True: the application's own `@Cron` methods run once per cluster, as schedules under their names; nothing of them
   * is changed. One that cannot be taken over (it has no name, say) stops the start. Default false.
   */
  clusterCrons?: boolean | undefined;
}

/** Options with every default in place: those of the node, and the module's own. */
export interface ResolvedDelayTaskOptions extends ResolvedNodeOptions {
  /** Null: the module without a name. */
  name: string | null;
  autoStart: boolean;
  clusterCrons: boolean;
}

/** A node that a module has. */
export type ModuleNode = DelayTaskNode<ResolvedDelayTaskOptions>;

/** Makes options, for `forRootAsync({ useClass })` and `useExisting`. */
export interface DelayTaskOptionsFactory {
  createDelayTaskOptions(): DelayTaskModuleOptions | Promise<DelayTaskModuleOptions>;
}

/** What Nest injects for a token: of a class its instance; of a text or a symbol anything. */
export type InjectedBy<Token> = Token extends { token: infer Of; optional: true }
  ? InjectedBy<Of> | undefined
  : Token extends { token: infer Of }
    ? InjectedBy<Of>
    : Token extends abstract new (...parameters: never[]) => infer Instance
      ? Instance
      : Token extends { prototype: infer Instance }
        ? Instance
        : ReturnType<typeof JSON.parse>;

/** What the factory of {@link DelayTaskModule.forRootAsync} makes options of. */
export interface DelayTaskModuleAsyncOptions<
  Tokens extends readonly (InjectionToken | OptionalFactoryDependency)[] = readonly InjectionToken[],
> {
  /** Modules that export what the factory injects. Default none. */
  imports?: ModuleMetadata["imports"] | undefined;
  /** As in {@link DelayTaskModuleOptions}; what is made does not say it again. Default none. */
  name?: string | undefined;
  /** What the factory is called with, in this order. Default: nothing. */
  inject?: readonly [...Tokens] | undefined;
  /**
   * Makes the options. It is given an instance for each class of `inject`.
   *
   * @example { inject: [DataSource], useFactory: (dataSource) => ({ dataSource }) }
   */
  useFactory?: Factory<Tokens>["make"] | undefined;
  /** Makes the options, an instance of its own. */
  useClass?: Type<DelayTaskOptionsFactory> | undefined;
  /** Makes the options, one that there is. */
  useExisting?: Type<DelayTaskOptionsFactory> | undefined;
}

interface Factory<Tokens extends readonly unknown[]> {
  /** A method, so that a parameter may say more of what it is, as `ConfigService<Environment, true>` does. */
  make(
    ...injected: { -readonly [Index in keyof Tokens]: InjectedBy<Tokens[Index]> }
  ): DelayTaskModuleOptions | Promise<DelayTaskModuleOptions>;
}

const RULES: OptionRules = { name: textRule(1, 64), autoStart: trueOrFalse, clusterCrons: trueOrFalse };

/** The names of all options of `DelayTaskModule`. */
export const DELAY_TASK_OPTION_NAMES: readonly string[] = [...Object.keys(RULES), ...NODE_OPTION_NAMES];

/**
 * Completes and checks the module's options.
 *
 * @throws TickwheelError `CONFIGURATION_INVALID` with every fault at once
 */
export function resolveDelayTaskOptions(given: DelayTaskModuleOptions): ResolvedDelayTaskOptions {
  const ofNode = resolveNodeOptions(given, { name: "DelayTaskModule", rules: RULES });
  const { name, autoStart = true, clusterCrons = false } = given;
  return { ...ofNode, name: name ?? null, autoStart, clusterCrons };
}
