import { Inject, type InjectionToken, type Provider } from "@nestjs/common";
import { defineTask, type TaskDefaults } from "@tickwheel/calls";
import { NonRetryableError, TickwheelError } from "@tickwheel/core";
import type { DelayTask, DelayTaskService } from "@tickwheel/node";
import { lastValueFrom, type Observable } from "rxjs";
import { DelayTaskHandler, type DelayTaskHandlerOptions } from "../handlers/delay-task.decorators.js";
import { delayTasksToken } from "../tokens/tokens.js";
import { DelayedClient } from "./delayed-client.js";
import { dataFaults, type DelayedMessage, givenKey, patternFaults, type PublishedMessage } from "./message.js";

/** Options of {@link delayedClient}: those of the handler that publishes, and what it hands to the client. */
export interface DelayedClientOptions extends DelayTaskHandlerOptions<DelayedMessage> {
  /** The type of the tasks, 1 to 128 of `A-Z a-z 0-9 . _ : -`. Default: `publish.` and the name of the client. */
  type?: string | undefined;
  /**
   * Makes what is handed to `client.emit` of a message: a record of Nest's, say, whose message id is the task's id, so
   * that consumers can tell duplicates. What it throws is a failed attempt. Default: the message's `data`.
   *
   * @example record: ({ id, data }) => new RmqRecordBuilder(data).setOptions({ messageId: id }).build()
   */
  record?: ((message: PublishedMessage) => unknown) | undefined;
}

/** What a client of `@nestjs/microservices` is registered by: the `name` of `ClientsModule`, or a class. */
export type ClientToken = string | symbol | (abstract new (...dependencies: never[]) => unknown);

/** What is asked of a client. */
interface EmittingClient {
  emit(pattern: unknown, data: unknown): Observable<unknown>;
}

const TYPE = /^[A-Za-z0-9._:-]{1,128}$/;
/** The tokens of clients that are not registered by a text. */
const tokens = new Map<ClientToken, symbol>();

/**
 * The token by which the `DelayedClient` of a client is injected. A module that shares it exports this token.
 *
 * @example @Module({ imports: [Clients], providers: delayedClient("ORDERS"), exports: [delayedClientToken("ORDERS")] })
 */
export function delayedClientToken(client: ClientToken): InjectionToken<DelayedClient> {
  const text = `tickwheel DelayedClient ${clientName(client)}`;
  if (typeof client === "string") return text;
  const token = tokens.get(client) ?? Symbol(text);
  tokens.set(client, token);
  return token;
}

/**
 * Injects the `DelayedClient` that {@link delayedClient} provides.
 *
 * @example constructor(@InjectDelayedClient("ORDERS") private readonly orders: DelayedClient) {}
 */
export function InjectDelayedClient(client: ClientToken): ParameterDecorator & PropertyDecorator {
  return Inject(delayedClientToken(client));
}

/**
 * Providers for publishing by a client of `@nestjs/microservices` later: a {@link DelayedClient}, and the handler of
 * the tasks that publish. They belong into the module that imports the client. Other modules import that module.
 *
 * The handler waits for the end of `client.emit`, so with RabbitMQ and Kafka a task is settled when the broker has
 * confirmed. An error is a failed attempt: it is tried again by the rules of the type, by default 3 times within
 * seconds. Give more attempts than the longest outage of the broker needs.
 *
 * @example
 * @Module({
 *   imports: [ClientsModule.register([{ name: "ORDERS", transport: Transport.RMQ, options }])],
 *   providers: [...delayedClient("ORDERS", { maxAttempts: 100 }), OrderService],
 * })
 * @param client the `name` that the client is registered by
 * @param options `module`: the name of the `DelayTaskModule` whose tasks they are. Default: the one without a name
 * @throws TickwheelError `CONFIGURATION_INVALID`: the type is none, or `record` is no function. At the start: there is
 *   no such client
 */
export function delayedClient(client: ClientToken, options: DelayedClientOptions = {}): Provider[] {
  const { type = `publish.${clientName(client)}`, record = ({ data }) => data, ...handler } = options;
  requireOptions(client, type, record);
  const { maxAttempts, backoff, timeout, startDeadline, priority } = handler;
  const task = defineTask<DelayedMessage>(type, given({ maxAttempts, backoff, timeout, startDeadline, priority }));
  // A class for each client: its decorator names the type of this one.
  @DelayTaskHandler(task, handler)
  class OwnPublisher extends Publisher {}
  Object.defineProperty(OwnPublisher, "name", { value: `delayedClient(${clientName(client)})` });
  return [
    {
      provide: delayedClientToken(client),
      inject: [delayTasksToken(options.module)],
      useFactory: (tasks: DelayTaskService) => new DelayedClient(tasks, task),
    },
    {
      provide: Symbol(`tickwheel publisher ${clientName(client)}`),
      inject: [{ token: client, optional: true }],
      useFactory: (found?: EmittingClient) => new OwnPublisher(clientName(client), found, record),
    },
  ];
}

/** The handler of the tasks that publish by one client. */
export class Publisher {
  /** @param client undefined: the module has none */
  constructor(
    private readonly name: string,
    private readonly client: EmittingClient | undefined,
    private readonly record: (message: PublishedMessage) => unknown,
  ) {}

  /** What is wrong with it, in a sentence; null: nothing. */
  get fault(): string | null {
    if (typeof this.client?.emit === "function") return null;
    return this.client
      ? `delayedClient(${this.name}): what is registered as ${this.name} has no method emit(pattern, data)`
      : `delayedClient(${this.name}) is in a module that has no client ${this.name}: import ClientsModule.register([{ name, … }]) there`;
  }

  async handle(task: DelayTask<DelayedMessage>): Promise<void> {
    const { id, attempt, key } = task;
    const { pattern, data } = messageOf(task.payload);
    const made = this.record({ id, pattern, data, attempt, key: givenKey(pattern, key) });
    await lastValueFrom(this.client!.emit(pattern, made), { defaultValue: undefined });
  }
}

/** A task of the type may have been made by a call of the API: no attempt would find a message in it. */
function messageOf(payload: unknown): DelayedMessage {
  const message = Object(payload) as DelayedMessage;
  const faults = [...patternFaults(message.pattern), ...dataFaults(message.data)];
  if (faults.length === 0) return message;
  const all = faults.map(({ path, message: text }) => `${path} ${text}`).join("; ");
  throw new NonRetryableError(`The payload is no message { pattern, data }: ${all}`);
}

/** The name of a client, for people and in the type of its tasks. */
export function clientName(client: ClientToken): string {
  if (typeof client === "symbol") return client.description ?? "";
  return typeof client === "function" ? client.name : client;
}

function requireOptions(client: ClientToken, type: unknown, record: unknown): void {
  const faults = [
    TYPE.test(String(type))
      ? []
      : `its type ${JSON.stringify(type)} is not 1 to 128 of A-Z a-z 0-9 . _ : -; give { type }`,
    typeof record === "function" ? [] : "its option record is no function",
  ].flat();
  if (faults.length === 0) return;
  throw new TickwheelError("CONFIGURATION_INVALID", `delayedClient(${clientName(client)}): ${faults.join("; ")}.`);
}

/** The defaults that are given: one that is undefined would hide what the cluster knows of the type. */
function given(defaults: TaskDefaults): TaskDefaults {
  return Object.fromEntries(Object.entries(defaults).filter(([, value]) => value !== undefined));
}
