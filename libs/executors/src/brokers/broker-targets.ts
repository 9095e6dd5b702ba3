import type { BrokerConnection } from "./broker-connection.js";
import { BROKER_KINDS, type BrokerDelivery, type BrokerKind, type Fault, suggestion } from "@tickwheel/core";

/** What every target has. */
interface TargetBase {
  /**
   * The routing key, subject, topic or stream of tasks that name none. Default: each task must name its own.
   *
   * @example "orders.cancel"
   */
  subject?: string | undefined;
  /**
   * What tasks may name instead: a text as it is, or the beginning of one with `*` behind it. Default: nothing.
   *
   * @example ["orders.*", "coupons"]
   */
  subjects?: readonly string[] | undefined;
  /**
   * Makes a connection by a client of your own; the others of the target's options are then yours to read. Default: by
   * the package of its kind.
   *
   * @example connect: async () => new PulsarConnection()
   */
  connect?: (() => Promise<BrokerConnection>) | undefined;
}

/** RabbitMQ, or another broker of AMQP 0-9-1. Needs the package `amqplib`. */
export interface AmqpTarget extends TargetBase {
  kind: "amqp";
  /** As amqplib takes it: `amqps://user:password@host/vhost`. Needed without `connect`. */
  url?: string | undefined;
  /** It must exist. Default: the default exchange, where a routing key is the name of a queue. */
  exchange?: string | undefined;
  /** Socket options of amqplib, such as `ca` for TLS. Default: none. */
  client?: object | undefined;
}

/** NATS with JetStream. Needs the packages `@nats-io/transport-node` and `@nats-io/jetstream`. */
export interface NatsTarget extends TargetBase {
  kind: "nats";
  /** One server or several of a cluster: `nats://host:4222`. Needed without `connect`. */
  url?: string | readonly string[] | undefined;
  /** Options of a NATS connection, such as `token` or `tls`. Default: none. */
  client?: object | undefined;
}

/** Kafka. Needs the package `kafkajs`; who prefers another client gives `connect`. */
export interface KafkaTarget extends TargetBase {
  kind: "kafka";
  /** Some brokers of the cluster: `host:9092`. Needed without `connect`. */
  url?: string | readonly string[] | undefined;
  /** Options of kafkajs, such as `sasl` or `ssl`. Default: none. */
  client?: object | undefined;
}

/** Streams of Redis, read by consumer groups. Needs the package `ioredis`. */
export interface RedisStreamTarget extends TargetBase {
  kind: "redis";
  /** `redis://host:6379`. Absent: `client` says where Redis is, as with Sentinel. */
  url?: string | undefined;
  /** A stream keeps about so many messages, the newest ones, 1 or more. Default: all of them. */
  maxLength?: number | undefined;
  /** Options of ioredis, such as `{ sentinels, name }` or `password`. Default: none. */
  client?: object | undefined;
}

/** A message broker, and where in it tasks may be published. */
export type BrokerTarget = AmqpTarget | NatsTarget | KafkaTarget | RedisStreamTarget;

/** Why a task cannot be published; `field`: which part of its delivery is at fault. */
export interface TargetFault {
  field: "kind" | "to" | "subject";
  message: string;
}

/** The brokers of a node, by the names that tasks call them. */
export class BrokerTargets {
  constructor(private readonly targets: Readonly<Record<string, BrokerTarget>>) {}

  get isEmpty(): boolean {
    return Object.keys(this.targets).length === 0;
  }

  /** What keeps this node from publishing such a task; null: nothing. */
  faultOf({ kind, to, subject }: BrokerDelivery): TargetFault | null {
    const target = this.targetOf(to);
    if (!target) {
      const names = Object.keys(this.targets);
      const meant = names.length === 0 ? ", which names none" : suggestion(to, names);
      return { field: "to", message: `must be a target among this node's brokers${meant}` };
    }
    if (target.kind !== kind)
      return { field: "kind", message: `must be ${target.kind}, as that of the target "${to}"` };
    if (subject === undefined)
      return target.subject === undefined
        ? { field: "subject", message: `must be given: the target "${to}" has none of its own` }
        : null;
    return target.subject === subject || (target.subjects ?? []).some((allowed) => isWithin(subject, allowed))
      ? null
      : { field: "subject", message: `must be one that the target "${to}" lets tasks name (subjects)` };
  }

  /** @returns the target, and where its message goes within it; only for a delivery without a fault */
  resolve(delivery: BrokerDelivery): { target: BrokerTarget; subject: string } {
    const target = this.targetOf(delivery.to)!;
    return { target, subject: delivery.subject ?? target.subject! };
  }

  /** The targets whose connections are made by the package of their kind. */
  needingClients(): [name: string, kind: BrokerKind][] {
    const own = Object.entries(this.targets).filter(([, { connect }]) => connect === undefined);
    return own.map(([name, { kind }]) => [name, kind]);
  }

  private targetOf(name: string): BrokerTarget | undefined {
    return Object.hasOwn(this.targets, name) ? this.targets[name] : undefined;
  }
}

function isWithin(subject: string, allowed: string): boolean {
  return allowed.endsWith("*") ? subject.startsWith(allowed.slice(0, -1)) : subject === allowed;
}

const MOST_TARGETS = 32;
const NAME = /^[A-Za-z0-9._:-]{1,64}$/;
const SUBJECT = /^[\u0021-\u007E]{1,255}$/;
const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isText);
const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);
const isAddress = (protocols: RegExp) => (value: unknown) => typeof value === "string" && protocols.test(value);

interface FieldRule {
  isFit: (value: unknown) => boolean;
  message: string;
}
type FieldRules = Readonly<Record<string, FieldRule>>;

const OF_ALL: FieldRules = {
  kind: { isFit: () => true, message: "" },
  subject: {
    isFit: (value) => typeof value === "string" && SUBJECT.test(value),
    message: "must be 1 to 255 printable ASCII characters without spaces",
  },
  subjects: {
    isFit: (value) => Array.isArray(value) && value.every((one) => typeof one === "string" && SUBJECT.test(one)),
    message: 'must be a list such as ["orders.*", "coupons"]',
  },
  connect: { isFit: (value) => typeof value === "function", message: "must be a function that connects" },
  client: { isFit: isObject, message: "must be an object: options of the client" },
};
const SOME_SERVERS: FieldRule = {
  isFit: (value) => isText(value) || isTexts(value),
  message: "must be an address or a list of some",
};
const RULES: Readonly<Record<BrokerKind, FieldRules>> = {
  amqp: {
    ...OF_ALL,
    url: { isFit: isAddress(/^amqps?:\/\/./), message: "must be an amqp:// or amqps:// URL" },
    exchange: { isFit: (value) => typeof value === "string" && value.length <= 255, message: "must be a name" },
  },
  nats: { ...OF_ALL, url: SOME_SERVERS },
  kafka: { ...OF_ALL, url: SOME_SERVERS },
  redis: {
    ...OF_ALL,
    url: { isFit: isAddress(/^rediss?:\/\/./), message: "must be a redis:// or rediss:// URL" },
    maxLength: {
      isFit: (value) => Number.isSafeInteger(value) && Number(value) > 0,
      message: "must be a whole number of at least 1",
    },
  },
};

/**
 * Every fault of what should be brokers by their names. No value is told: an address may hold a password.
 *
 * @param path what the option is called
 */
export function brokerFaults(value: unknown, path: string): Fault[] {
  if (!isObject(value)) return [{ path, message: "must be an object of targets by their names" }];
  const entries = Object.entries(value as object) as [string, unknown][];
  if (entries.length > MOST_TARGETS) return [{ path, message: `must hold at most ${MOST_TARGETS} targets` }];
  return entries.flatMap(([name, target]) => {
    const below = `${path}.${name}`;
    if (!NAME.test(name))
      return [{ path: below, message: "must be named by 1 to 64 characters of A-Z a-z 0-9 . _ : -" }];
    return targetFaults(target, below);
  });
}

function targetFaults(target: unknown, path: string): Fault[] {
  if (!isObject(target)) return [{ path, message: "must be an object" }];
  const given = target as Record<string, unknown>;
  const kind = BROKER_KINDS.find((one) => one === given["kind"]);
  if (!kind) return [{ path: `${path}.kind`, message: `must be one of ${BROKER_KINDS.join(", ")}` }];
  const rules = RULES[kind];
  const faults = Object.entries(given).flatMap(([field, value]): Fault[] => {
    const rule = Object.hasOwn(rules, field) ? rules[field]! : null;
    if (!rule)
      return [
        { path: `${path}.${field}`, message: `is not an option of ${kind}${suggestion(field, Object.keys(rules))}` },
      ];
    return value === undefined || rule.isFit(value) ? [] : [{ path: `${path}.${field}`, message: rule.message }];
  });
  const { url, client, connect, subject, subjects } = given;
  if (url === undefined && connect === undefined && (kind !== "redis" || client === undefined))
    faults.push({ path: `${path}.url`, message: "must be given: where the broker is" });
  if (subject === undefined && subjects === undefined)
    faults.push({ path: `${path}.subject`, message: "or subjects must be given: where messages go" });
  return faults;
}
