import { type EventName, type KeptResult, type NamedEvent, TickwheelError } from "@tickwheel/core";
import type { PayloadRules, TaskDefinition } from "@tickwheel/calls";
import type { DelayTask, DelayTaskContext, HandlerOptions } from "@tickwheel/node";

/**
 * Options of a handler. Options with a payload's type give it to `condition`, where `this` is the handler's instance.
 */
export interface DelayTaskHandlerOptions<Payload = never> extends HandlerOptions<Payload> {
  /** The name of the `DelayTaskModule` whose tasks it runs; default: the one without a name. */
  module?: string | undefined;
}

/** What the explorer reads of a decorated class or method. */
export interface DelayTaskHandlerMetadata {
  type: string;
  /** How its definition checks payloads. Default: it has no schema. */
  payload?: PayloadRules | undefined;
  options: DelayTaskHandlerOptions<never>;
}

export const HANDLER_METADATA = "tickwheel:handler";
export const EVENT_METADATA = "tickwheel:event";

/**
 * Makes a provider (a class with `handle(task, ctx)`) or one of its methods the handler of a type on this node. It is
 * found by discovery in any module. What it returns is the task's result, so JSON must keep it; what it throws is a
 * failed attempt.
 *
 * @throws TickwheelError `CONFIGURATION_INVALID` with class and method: it has such a decorator, or one of a schedule,
 *   already
 *
 * @example
 * @DelayTaskHandler(CancelOrder, { concurrency: 20 })
 * class CancelOrderHandler {
 *   async handle(task: DelayTask<{ orderId: string }>, ctx: DelayTaskContext) { … }
 * }
 */
export function DelayTaskHandler<Payload = never>(
  task: string | TaskDefinition<Payload, unknown>,
  options: DelayTaskHandlerOptions<Payload> = {},
): DelayTaskHandlerDecorator<Payload> {
  const metadata: DelayTaskHandlerMetadata =
    typeof task === "string"
      ? { type: task, options }
      : { type: task.type, payload: task.payload, options: { ...task.defaults, ...options } };
  return attach(HANDLER_METADATA, metadata);
}

/** What a handler's class has; of a type that is named by a text the payload is what the handler says. */
export interface HandlesTasks<Payload> {
  /** `never`: a handler may take the context of any library. */
  handle(task: DelayTask<Payload>, context: DelayTaskContext<never>): unknown;
}

/** Decorates a class with `handle`, or a method, that takes this payload. */
export interface DelayTaskHandlerDecorator<Payload> {
  <Handler extends HandlesTasks<Payload>>(
    target: abstract new (...dependencies: never[]) => Handler & {
      handle(...parameters: never[]): KeptResult<ReturnType<Handler["handle"]>>;
    },
  ): void;
  <Method extends HandlesTasks<Payload>["handle"]>(
    target: object,
    name: string | symbol,
    descriptor: TypedPropertyDescriptor<Method & ((...parameters: never[]) => KeptResult<ReturnType<Method>>)>,
  ): void;
}

/**
 * Calls a method for each event of this name that happens on this node, with its facts; docs/telemetry.md says when
 * each happens. It must be quick. A name that no event has stops the start.
 *
 * @example
 * @OnDelayTaskEvent("task.dead")
 * onDead({ facts: { type, key }, error }: TaskDeadEvent) { this.alerts.send(`${type} ${key}`, error); }
 */
export function OnDelayTaskEvent<Name extends EventName>(
  name: Name,
  options: DelayTaskListenerOptions = {},
): DelayTaskEventDecorator<Name> {
  const metadata: DelayTaskListenerMetadata = { event: name, options };
  return attach(EVENT_METADATA, metadata);
}

/** Options of a listener. */
export interface DelayTaskListenerOptions {
  /** The name of the `DelayTaskModule` that it listens to; default: the one without a name. */
  module?: string | undefined;
}

/** What the explorer reads of a decorated method. */
export interface DelayTaskListenerMetadata {
  event: string;
  options: DelayTaskListenerOptions;
}

/** Decorates a method that takes the event of this name. */
export type DelayTaskEventDecorator<Name extends EventName> = <Method extends (event: NamedEvent<Name>) => unknown>(
  target: object,
  name: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
) => void;

function attach(
  key: string,
  value: unknown,
): (target: object, name?: string | symbol, descriptor?: PropertyDescriptor) => void {
  return (target, name, descriptor) => {
    const bearer = descriptor ? (descriptor.value as object) : target;
    if (Reflect.hasOwnMetadata(key, bearer)) throw secondDecorator(whereIs(target, name));
    Reflect.defineMetadata(key, value, bearer);
  };
}

/** Where a method or class has two decorators, one would be lost. */
function secondDecorator(where: string): TickwheelError {
  return new TickwheelError(
    "CONFIGURATION_INVALID",
    `${where} has two decorators of one kind, and a method has one: give each a method of its own.`,
  );
}

/** What bears a decorator, by class and method, for people. */
export function whereIs(target: object, name?: string | symbol): string {
  if (name === undefined) return (target as { name?: string }).name || "an anonymous class";
  const { name: className } = typeof target === "function" ? target : target.constructor;
  return `${className || "an anonymous class"}.${String(name)}`;
}
