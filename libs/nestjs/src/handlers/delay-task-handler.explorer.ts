import {
  EXCEPTION_FILTERS_METADATA,
  GUARDS_METADATA,
  INTERCEPTORS_METADATA,
  PIPES_METADATA,
} from "@nestjs/common/constants.js";
import type { DiscoveryService, MetadataScanner } from "@nestjs/core";
import type { InstanceWrapper } from "@nestjs/core/injector/instance-wrapper.js";
import { TickwheelError } from "@tickwheel/core";
import { eventName, type NodeHandler, type NodeListener, type NodeSchedule } from "@tickwheel/node/internals";
import { type FoundCron, NEST_CRON_METADATA } from "./nest-crons.js";
import { type CodeScheduleMetadata, SCHEDULE_METADATA } from "./cluster-cron.decorators.js";
import {
  type DelayTaskHandlerMetadata,
  type DelayTaskListenerMetadata,
  EVENT_METADATA,
  HANDLER_METADATA,
} from "./delay-task.decorators.js";

/** A decorated class (its method is `handle`) or method, and what has it. */
interface Decorated {
  metadata: unknown;
  method: string;
  className: string;
  wrapper: InstanceWrapper;
  /** What bears the decorator: the class, or the method's function. */
  target: unknown;
}

/**
 * Finds `@DelayTaskHandler` and `@OnDelayTaskEvent` in every module's providers and controllers, by whichever way they
 * are provided: a class, `useClass`, `useFactory`, `useValue`. One instance that is provided under several names counts
 * once.
 *
 * @throws TickwheelError `CONFIGURATION_INVALID` for a request-scoped or transient handler or listener, a class without
 *   `handle`, a static method, an event that does not exist, or guards, interceptors, pipes and filters, which nothing
 *   would call
 */
export class DelayTaskHandlerExplorer {
  /** @param names of all modules of the process; null: the one without a name */
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly names: () => readonly (string | null)[],
  ) {}

  /** The handlers of the module of this name. */
  handlers(name: string | null): NodeHandler[] {
    return this.decorated(HANDLER_METADATA).flatMap(({ metadata, method, className, wrapper, target }) => {
      const found = metadata as DelayTaskHandlerMetadata;
      const where = `${className}.${method}`;
      const what = `The handler of "${found.type}" (${where})`;
      refuseEnhancers(target, what);
      if (!this.isOf(name, found.options.module, what)) return [];
      requireSingleton(wrapper, what);
      const handle = (wrapper.instance as Record<string, unknown>)[method];
      if (typeof handle !== "function") throw invalid(`${what} has no method handle(task, ctx).`);
      const { module: _module, ...options } = found.options;
      const condition = options.condition as NodeHandler["condition"];
      return {
        ...found,
        options,
        where,
        handle: (task, context) => handle.call(wrapper.instance, task, context) as unknown,
        condition: condition && ((task, context) => condition.call(wrapper.instance, task, context)),
      };
    });
  }

  /** The listeners of the module of this name. */
  listeners(name: string | null): NodeListener[] {
    return this.decorated(EVENT_METADATA).flatMap(({ metadata, method, className, wrapper, target }) => {
      const { event, options } = metadata as DelayTaskListenerMetadata;
      const what = `The listener ${className}.${method}`;
      refuseEnhancers(target, what);
      const found = eventName(event, what);
      if (!this.isOf(name, options.module, what)) return [];
      requireSingleton(wrapper, what);
      const listen = (told: unknown): unknown =>
        (wrapper.instance as Record<string, (event: unknown) => unknown>)[method]!(told);
      return { event: found, listen };
    });
  }

  /** The schedules that the code of the module of this name defines. */
  schedules(name: string | null): NodeSchedule[] {
    return this.decorated(SCHEDULE_METADATA).flatMap(({ metadata, method, className }) => {
      const found = metadata as CodeScheduleMetadata;
      const where = `${className}.${method}`;
      return this.isOf(name, found.module, where) ? [{ ...found, where }] : [];
    });
  }

  /** The methods with `@Cron` of `@nestjs/schedule`. */
  crons(): FoundCron[] {
    return this.decorated(NEST_CRON_METADATA).flatMap(({ metadata, method, className, wrapper }) => {
      const instance = wrapper.instance as Record<string, () => unknown> | null;
      const options = metadata as FoundCron["options"];
      return [{ options, where: `${className}.${method}`, scope: scopeOf(wrapper), call: () => instance![method]!() }];
    });
  }

  /** Nobody would find what belongs to a module that is not there. */
  private isOf(name: string | null, wanted: string | null = null, what: string): boolean {
    const names = this.names();
    if (names.includes(wanted)) return wanted === name;
    const named = names.filter((known) => known !== null);
    const all = named.map((known) => `"${known}"`).join(", ") || "none that has a name";
    throw invalid(
      wanted === null
        ? `${what} names no module, and every DelayTaskModule here has a name (${all}): say { module: … }.`
        : `${what} is of the module "${wanted}", and there is no DelayTaskModule of that name: there is ${all}.`,
    );
  }

  private decorated(key: string): Decorated[] {
    const wrappers = new Set([...this.discovery.getProviders(), ...this.discovery.getControllers()]);
    const seen = new Set<unknown>();
    return [...wrappers].flatMap((wrapper) => {
      const type = classOf(wrapper);
      if (type === null || seen.has(wrapper.instance)) return [];
      if (wrapper.instance) seen.add(wrapper.instance);
      refuseStatic(key, type);
      return this.placesOf(key, type).map((place) => ({
        ...place,
        className: type.name || "an anonymous class",
        wrapper,
      }));
    });
  }

  private placesOf(key: string, type: Class): Pick<Decorated, "metadata" | "method" | "target">[] {
    const methods = this.scanner.getAllMethodNames(type.prototype);
    const places = [
      { method: "handle", target: type as unknown },
      ...methods.map((method) => ({ method, target: type.prototype[method] })),
    ];
    return places
      .map((place) => ({ ...place, metadata: metadataOf(key, place.target) }))
      .filter(({ metadata }) => metadata !== undefined);
  }
}

interface Class {
  name: string;
  prototype: Record<string, unknown>;
}

/** The class of what is provided; null: there is none, or it stands for another provider. */
export function classOf(wrapper: InstanceWrapper): Class | null {
  if (wrapper.isAlias) return null;
  const instance: unknown = wrapper.instance;
  if (!wrapper.isNotMetatype) return asClass(wrapper.metatype);
  // A factory that is called for each request has made nothing yet: what it stands for says its class.
  if (scopeOf(wrapper) !== null) return asClass(wrapper.token);
  return typeof instance === "object" && instance !== null ? asClass(constructorOf(instance)) : null;
}

/**
 * The scope of what is no singleton; null: it is one. What discovery finds of the others was never constructed, so
 * nothing may be called on it.
 */
export function scopeOf(wrapper: InstanceWrapper): "request-scoped" | "transient" | null {
  if (wrapper.isTransient) return "transient";
  return wrapper.isDependencyTreeStatic() && wrapper.instance ? null : "request-scoped";
}

function requireSingleton(wrapper: InstanceWrapper, what: string): void {
  const scope = scopeOf(wrapper);
  if (scope !== null) throw invalid(`${what} is ${scope}; handlers and listeners must be singletons.`);
}

/** What a factory made or a value is may be anything, also something that throws when it is looked at. */
function constructorOf(instance: object): unknown {
  try {
    return instance.constructor;
  } catch {
    return null;
  }
}

function asClass(value: unknown): Class | null {
  const isClass = typeof value === "function" && isObject((value as { prototype?: unknown }).prototype);
  return isClass && (value as unknown) !== Object ? (value as unknown as Class) : null;
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function metadataOf(key: string, target: unknown): unknown {
  return typeof target === "function" ? Reflect.getMetadata(key, target) : undefined;
}

/** Nobody would find it again: what runs a task belongs to an instance. */
function refuseStatic(key: string, type: Class): void {
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(type)))
    if (name !== "prototype" && metadataOf(key, value as unknown) !== undefined)
      throw invalid(`${type.name}.${name} is static; handlers and listeners must be methods of an instance.`);
}

/** What Nest binds to routes alone: on a handler it would be passed over in silence. */
const ENHANCERS: Readonly<Record<string, string>> = {
  [GUARDS_METADATA]: "@UseGuards",
  [INTERCEPTORS_METADATA]: "@UseInterceptors",
  [PIPES_METADATA]: "@UsePipes",
  [EXCEPTION_FILTERS_METADATA]: "@UseFilters",
};

function refuseEnhancers(target: unknown, what: string): void {
  const used = Object.entries(ENHANCERS).filter(([key]) => metadataOf(key, target) !== undefined);
  if (used.length === 0) return;
  const names = used.map(([, name]) => name).join(", ");
  throw invalid(`${what} has ${names}, which Nest calls for routes alone: do that work in the handler.`);
}

function invalid(message: string): TickwheelError {
  return new TickwheelError("CONFIGURATION_INVALID", message);
}
