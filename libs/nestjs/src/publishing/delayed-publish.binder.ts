import type { DiscoveryService } from "@nestjs/core";
import type { InstanceWrapper } from "@nestjs/core/injector/instance-wrapper.js";
import { TickwheelError } from "@tickwheel/core";
import { classOf, scopeOf } from "../handlers/delay-task-handler.explorer.js";
import type { DelayedClient } from "./delayed-client.js";
import { clientName, delayedClientToken, Publisher } from "./delayed-client.providers.js";
import { type DelayedPublishMetadata, publishesOf } from "./delayed-publish.decorator.js";
import { patternFaults } from "./message.js";

/**
 * Tells each method with `@DelayedPublish` by which client it publishes: it looks at the providers and controllers of
 * all modules, as they are when the application is initialised. What it does twice has no effect.
 */
export class DelayedPublishBinder {
  constructor(private readonly discovery: DiscoveryService) {}

  /**
   * @throws TickwheelError `CONFIGURATION_INVALID` with every fault: a client that is not there, a pattern that is
   *   none, a class that is no singleton
   */
  bind(): void {
    const wrappers = new Set([...this.discovery.getProviders(), ...this.discovery.getControllers()]);
    const faults = [...wrappers].flatMap((wrapper) => [...publisherFaults(wrapper), ...this.bound(wrapper)]);
    if (faults.length > 0) throw new TickwheelError("CONFIGURATION_INVALID", `${[...new Set(faults)].join("; ")}.`);
  }

  /** Binds the methods of one instance. @returns what is wrong */
  private bound(wrapper: InstanceWrapper): string[] {
    const type = classOf(wrapper);
    if (type === null) return [];
    return publishesIn(type.prototype).flatMap(({ method, publish }) => {
      const where = `${type.name || "an anonymous class"}.${method}`;
      const faults = patternFaults(publish.pattern).map(({ path, message }) => `${where}: its ${path} ${message}`);
      const scope = scopeOf(wrapper);
      if (scope !== null)
        faults.push(`${where} has @DelayedPublish, and its class is ${scope}: it must be a singleton`);
      const client = this.clientOf(publish);
      if (client === null) faults.push(missing(where, clientName(publish.client)));
      if (client !== null && scope === null) publish.bind(wrapper.instance as object, client);
      return faults;
    });
  }

  private clientOf({ client }: DelayedPublishMetadata): DelayedClient | null {
    const token = delayedClientToken(client);
    const found = this.discovery.getProviders().find((wrapper) => wrapper.token === token);
    return (found?.instance as DelayedClient | undefined) ?? null;
  }
}

function missing(where: string, client: string): string {
  return `${where} publishes by the client ${client}, and no module provides it: add ...delayedClient(${JSON.stringify(client)}) to the providers of a module`;
}

function publisherFaults({ instance }: InstanceWrapper): string[] {
  return instance instanceof Publisher && instance.fault !== null ? [instance.fault] : [];
}

/** What the methods of a class publish. Those that a subclass has overridden are among them: it may call them. */
function publishesIn(type: object): { method: string; publish: DelayedPublishMetadata }[] {
  const found: { method: string; publish: DelayedPublishMetadata }[] = [];
  for (
    let prototype: object | null = type;
    prototype !== null;
    prototype = Object.getPrototypeOf(prototype) as object | null
  )
    for (const [method, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype)))
      if (typeof value === "function")
        found.push(...publishesOf(value as object).map((publish) => ({ method, publish })));
  return found;
}
