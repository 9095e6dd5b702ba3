import type { BrokerKind, Fault } from "@tickwheel/core";
import type { BrokerConnection } from "./broker-connection.js";
import type { BrokerTarget, BrokerTargets } from "./broker-targets.js";

/** The clients that targets of a kind need, and the module that uses them. */
const CLIENTS = {
  amqp: { packages: "amqplib", load: () => import("./amqp-connection.js") },
  nats: { packages: "@nats-io/transport-node @nats-io/jetstream", load: () => import("./nats-connection.js") },
  kafka: { packages: "kafkajs", load: () => import("./kafka-connection.js") },
  redis: { packages: "ioredis", load: () => import("./redis-connection.js") },
} as const satisfies Record<BrokerKind, { packages: string; load: () => Promise<unknown> }>;

/** Connects to a broker. Its client is loaded now, so that only who has such a target needs it. */
export async function connectBroker(target: BrokerTarget): Promise<BrokerConnection> {
  if (target.connect) return target.connect();
  switch (target.kind) {
    case "amqp":
      return (await CLIENTS.amqp.load()).connectAmqp(target);
    case "nats":
      return (await CLIENTS.nats.load()).connectNats(target);
    case "kafka":
      return (await CLIENTS.kafka.load()).connectKafka(target);
    case "redis":
      return (await CLIENTS.redis.load()).connectRedisStream(target);
  }
}

/**
 * A fault for each target whose client is not installed, or cannot be used, with the command that installs it.
 *
 * @param path what the option is called
 */
export async function clientFaults(targets: Pick<BrokerTargets, "needingClients">, path: string): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const [name, kind] of targets.needingClients()) {
    const { packages, load } = CLIENTS[kind];
    try {
      await load();
    } catch (error) {
      const { message } = error as Error;
      faults.push({ path: `${path}.${name}`, message: `needs a client: npm install ${packages} (${message})` });
    }
  }
  return faults;
}
