import { type KeptResult, TickwheelError } from "@tickwheel/core";
import { whereIs } from "../handlers/delay-task.decorators.js";
import type { DelayedClient, DelayedEmitOptions } from "./delayed-client.js";
import type { ClientToken } from "./delayed-client.providers.js";
import type { DelayedPattern } from "./message.js";

/** A function that is given what the method was given; a parameter whose type it does not name is any. */
// oxlint-disable-next-line typescript/no-explicit-any -- the parameters of a method are not known to its decorator
type OfMethod<Answer> = (...given: any[]) => Answer;

/**
 * Options of {@link DelayedPublish}: those of `DelayedClient.emit`, and by which client. Functions get what the method
 * was given. They are called after the method has ended.
 */
export interface DelayedPublishOptions<
  Key extends OfMethod<string> = OfMethod<string>,
  At extends OfMethod<Date | string> = OfMethod<Date | string>,
  Manager extends OfMethod<object | undefined> = OfMethod<object | undefined>,
> extends Omit<DelayedEmitOptions, "key" | "scheduledAt" | "manager" | "idempotencyKey"> {
  /** The client, by the name that `delayedClient` was given. No default. */
  client: ClientToken;
  /** What consumers listen to: a text or a plain JSON object. No default. */
  pattern: DelayedPattern;
  /** At most one live message of the pattern has it. Default: none. */
  key?: Key | undefined;
  /** When it is due; not together with `delay`. Default: `delay` says when, else at once. */
  scheduledAt?: At | undefined;
  /** The open transaction that it joins. Default: one of Tickwheel's own, after the method. */
  manager?: Manager | undefined;
}

type AnyMethod = (...given: never[]) => Promise<unknown>;

/** Whether a function can be given what the method was given. */
type Takes<Function, Method extends AnyMethod> = Function extends (...given: Parameters<Method>) => unknown
  ? unknown
  : "A function of the options takes what the method does not";

/** Decorates a method that returns a promise of JSON, and takes what all these functions take. */
export type DelayedPublishDecorator<Key, At, Manager> = <Method extends AnyMethod>(
  target: object,
  name: string | symbol,
  descriptor: TypedPropertyDescriptor<
    Method &
      Takes<Key, Method> &
      Takes<At, Method> &
      Takes<Manager, Method> &
      ((...given: never[]) => KeptResult<ReturnType<Method>>)
  >,
) => void;

/** What the binder reads of a decorated method: one for each decorator of it. */
export interface DelayedPublishMetadata {
  client: ClientToken;
  pattern: unknown;
  /** Says by which client the method of this instance publishes. */
  bind(instance: object, client: DelayedClient): void;
}

export const PUBLISH_METADATA = "tickwheel:publish";

/**
 * Publishes later what a method of a provider or controller returns. The method's caller still gets it, when the
 * message is stored. A method that throws publishes nothing. The class injects nothing for it.
 *
 * The message is stored after the method has ended. If that fails, the caller gets the error, and what the method did
 * stays done. With `manager` both are one transaction.
 *
 * @example
 * @DelayedPublish({ client: "ORDERS", pattern: "order.reminded", delay: "1d", key: (order: Order) => order.id })
 * async remind(order: Order) { return { id: order.id }; }
 * @throws TickwheelError `CONFIGURATION_INVALID` when it is on what is no method of an instance; at the start of the
 *   application when there is no such client, the pattern is none, or the class is no singleton. From the method:
 *   what `DelayedClient.emit` throws
 */
export function DelayedPublish<
  Key extends OfMethod<string> = OfMethod<string>,
  At extends OfMethod<Date | string> = OfMethod<Date | string>,
  Manager extends OfMethod<object | undefined> = OfMethod<object | undefined>,
>(options: DelayedPublishOptions<Key, At, Manager>): DelayedPublishDecorator<Key, At, Manager> {
  return (target, name, descriptor) => {
    const where = whereIs(target, name);
    const method = descriptor?.value as ((...given: readonly unknown[]) => unknown) | undefined;
    if (typeof target === "function" || typeof method !== "function")
      throw new TickwheelError(
        "CONFIGURATION_INVALID",
        `${where} is no method of an instance: @DelayedPublish needs one.`,
      );
    const clients = new WeakMap<object, DelayedClient>();
    const publishing = async function (this: object, ...given: readonly unknown[]): Promise<unknown> {
      const client = clients.get(this);
      if (client === undefined) throw unbound(where);
      const data = await method.apply(this, [...given]);
      await emitted(where, () => client.emit(options.pattern, data as never, emitOptions(options, given)));
      return data;
    };
    Object.defineProperty(publishing, "name", { value: method.name });
    keepMetadata(method, publishing);
    const own: DelayedPublishMetadata = {
      client: options.client,
      pattern: options.pattern,
      bind: (instance, client) => void clients.set(instance, client),
    };
    Reflect.defineMetadata(PUBLISH_METADATA, [...publishesOf(method), own], publishing);
    descriptor.value = publishing as never;
  };
}

/** What a method publishes. */
export function publishesOf(method: object): readonly DelayedPublishMetadata[] {
  return (Reflect.getMetadata(PUBLISH_METADATA, method) as DelayedPublishMetadata[] | undefined) ?? [];
}

/** Nest looks for what other decorators say of a method at its function: that is another one now. */
function keepMetadata(from: object, to: object): void {
  for (const key of Reflect.getMetadataKeys(from) as unknown[])
    Reflect.defineMetadata(key, Reflect.getMetadata(key, from), to);
}

function emitOptions(
  { client: _client, pattern: _pattern, key, scheduledAt, manager, ...others }: DelayedPublishOptions,
  given: readonly unknown[],
): DelayedEmitOptions {
  return {
    ...others,
    // A function that answers no key is a fault. An empty key is one, too.
    ...(key && { key: key(...given) ?? "" }),
    ...(scheduledAt && { scheduledAt: scheduledAt(...given) }),
    ...(manager && { manager: manager(...given) }),
  } as DelayedEmitOptions;
}

/** Its error names the method. */
async function emitted(where: string, emit: () => Promise<unknown>): Promise<void> {
  try {
    await emit();
  } catch (error) {
    if (!(error instanceof TickwheelError)) throw error;
    const { code, message, faults, details } = error;
    throw new TickwheelError(code, `${where} has ended, and its message is not published: ${message}`, {
      cause: error,
      faults,
      details,
    });
  }
}

function unbound(where: string): TickwheelError {
  return new TickwheelError(
    "CONFIGURATION_INVALID",
    `${where} cannot publish, and was not called: its instance is no provider of an application with DelayTaskModule that has been initialised.`,
  );
}
