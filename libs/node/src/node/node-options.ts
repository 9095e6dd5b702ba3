import { hostname } from "node:os";
import {
  DEFAULT_OPTIONS,
  type Fault,
  type GivenSchedulerOptions,
  resolveOptions,
  type SchedulerOptions,
  TickwheelError,
} from "@tickwheel/core";
import { AllowedHosts, type BrokerTarget, BrokerTargets } from "@tickwheel/executors";
import type { TracingOptions } from "@tickwheel/observability";
import { connectionOf, connectionOptions, type ConnectionOptions } from "@tickwheel/postgres-store";
import type { RedisSource } from "@tickwheel/redis-coordination";
import type { DataSource } from "typeorm";
import type { DelayTaskAround } from "../handlers/around.js";
import { type TransactionAdapter, typeormTransactions } from "@tickwheel/calls";
import { optionFaults, type OptionRules } from "./option-rules.js";

/** Options of a node. The named times and limits of the scheduler are options too, under their own names. */
export interface DelayTaskNodeOptions extends GivenSchedulerOptions {
  /**
   * The application's own TypeORM DataSource: `{ manager }` and `ctx.transaction` run on it. The scheduler's own
   * connections are made with the same settings: TLS, socket, password function, `extra`; of a replicated one, the
   * master's. No default: this or `url`.
   */
  dataSource?: DataSource | undefined;
  /**
   * The application's own transactions, of Prisma, Drizzle, Kysely, `pg` or another library: `{ manager }` and
   * `ctx.transaction` run on them. It goes with `url`, and not with `dataSource`. The library must use the same
   * database. Default: those of `dataSource`.
   *
   * @example { url: process.env.DATABASE_URL, transactions: prismaTransactions(prisma) }
   */
  transactions?: TransactionAdapter | undefined;
  /**
   * Postgres, when there is no `dataSource`, or for the scheduler's own pool. Default: as the `dataSource` connects.
   */
  url?: string | undefined;
  /**
   * True where connections lead through PgBouncer or the like in transaction mode: then nothing of a session is used,
   * neither settings nor prepared statements nor LISTEN. Default false.
   */
  transactionPooling?: boolean | undefined;
  /**
   * With `transactionPooling`: a URL past the pooler, for the one connection that listens. Default none: sweeps find
   * what is due.
   */
  listenUrl?: string | undefined;
  /** Where tables and migrations live; default `tickwheel`. */
  schema?: string | undefined;
  /** Run migrations at the start; default true. */
  migrate?: boolean | undefined;
  /**
   * Where Redis is: a URL; options of ioredis, with `sentinels` and `name` under Sentinel;
   * `{ cluster: nodes, options }` for a Cluster; a client of ioredis, whose settings are taken over; or null:
   * coordination through Postgres alone. The heartbeat's thread connects with the same options without their functions.
   * Default null.
   *
   * @example redis: { sentinels: [{ host: "s1", port: 26379 }, { host: "s2", port: 26379 }], name: "primary" }
   */
  redis?: RedisSource | null | undefined;
  /** Whose tasks these are: keys, quotas and lists are within one; default `default`. */
  namespace?: string | undefined;
  /** False: this application only creates tasks; it has no node row, no heartbeat, no slots. Default true. */
  engine?: boolean | undefined;
  /**
   * Connections of the hot path's own pool, which stay open, 2 to 1,000; default 4. A node takes up to five more, so
   * nine: ten nodes fit into 100.
   */
  poolSize?: number | undefined;
  /**
   * `worker`: a thread of its own, unhurt by a blocked event loop; `loop`: in this one, for bundles and tests. Default
   * `worker`.
   */
  heartbeat?: "worker" | "loop" | undefined;
  /**
   * True: the heartbeat's thread kills the process when its event loop has been blocked for `loopBlockedFenceMs`. For a
   * process that is nothing but a node and that somebody starts again. Default false.
   */
  exitWhenBlocked?: boolean | undefined;
  /**
   * Where webhooks may be delivered to, beside public addresses by https: `host` (https, port 443), `host:port` (http
   * or https), and networks such as `10.0.0.0/8` that listed names may resolve to. The same on every node. Default
   * none.
   */
  webhookAllowedHosts?: readonly string[] | undefined;
  /**
   * Secrets that sign deliveries, each with every delivery, so that one can be rotated: plain text, or `whsec_` and
   * base64. The same on every node: one without any leaves webhooks to those that have some. Default none; where no
   * live node has any, webhooks are not signed.
   */
  webhookSecrets?: readonly string[] | undefined;
  /**
   * Message brokers that tasks can be published to, by the names that `deliver.to` calls them. The same on every node:
   * one that lacks a target leaves its tasks to others. Default none.
   *
   * @example brokers: { shop: { kind: "amqp", url: "amqps://rabbit.example.com", subjects: ["orders.*"] } }
   */
  brokers?: Readonly<Record<string, BrokerTarget>> | undefined;
  /** What this node says it is for; default `["engine"]`, or `["api"]` without the engine. */
  roles?: readonly string[] | undefined;
  /** The cluster's name in Redis keys; default the schema. */
  cluster?: string | undefined;
  /** What people call this node, at most 64 characters; default the machine's name. */
  nodeName?: string | undefined;
  /**
   * Whose code this is: its schedules belong to it, 1 to 64 characters. The same on every node that runs it. Default
   * `application`.
   */
  application?: string | undefined;
  /**
   * Functions around every handler of this node, the first one outermost: for tracing, tenancy, logging. What the
   * outermost returns is the task's result; one that throws is a failed attempt. Default none.
   *
   * @example around: [async (task, ctx, next) => next()]
   */
  around?: readonly DelayTaskAround[] | undefined;
  /**
   * What is traced where the application has `@opentelemetry/api`: a span for each create, and one for each run. False:
   * nothing is, OpenTelemetry is not loaded, and no header of a request is read. Default `{ baggage: [], runs:
   * "same-trace" }`.
   *
   * @example tracing: { baggage: ["tenant"], runs: "own-trace" }
   */
  tracing?: TracingOptions | false | undefined;
}

/** Options with every default in place. */
export interface ResolvedNodeOptions {
  dataSource: DataSource | null;
  /** Null: no transaction of the application's can be joined. */
  transactions: TransactionAdapter | null;
  /** How the scheduler's own connections are made. */
  connection: ConnectionOptions;
  transactionPooling: boolean;
  listenUrl: string | null;
  schema: string;
  migrate: boolean;
  redis: RedisSource | null;
  namespace: string;
  engine: boolean;
  poolSize: number;
  heartbeat: "worker" | "loop";
  exitWhenBlocked: boolean;
  webhookHosts: AllowedHosts;
  webhookSecrets: readonly string[];
  brokers: BrokerTargets;
  roles: readonly string[];
  cluster: string;
  nodeName: string;
  application: string;
  around: readonly DelayTaskAround[];
  tracing: Required<TracingOptions> | false;
  scheduler: SchedulerOptions;
}

/** What has a node, a module of Nest or a script, and the options that it takes. */
export interface OptionSet {
  /** What cannot start where an option has a fault, for people. */
  name: string;
  /** The options that it has beside those of a node. */
  rules: OptionRules;
}

/**
 * Completes and checks the options of a node, and checks those beside them.
 *
 * @throws TickwheelError `CONFIGURATION_INVALID` with every fault at once
 */
export function resolveNodeOptions(given: DelayTaskNodeOptions, { name, rules }: OptionSet): ResolvedNodeOptions {
  const faults = optionFaults({ ...given }, rules);
  const scheduler = schedulerOptions(given, faults);
  if (faults.length > 0) throw configurationError(name, faults);
  const { schema = "tickwheel", poolSize = 4, engine = true } = given;
  return {
    dataSource: given.dataSource ?? null,
    transactions: transactionsOf(given),
    connection: connectionFor(given),
    transactionPooling: given.transactionPooling ?? false,
    listenUrl: given.listenUrl ?? null,
    schema,
    migrate: given.migrate ?? true,
    redis: given.redis ?? null,
    namespace: given.namespace ?? "default",
    engine,
    poolSize,
    scheduler,
    heartbeat: given.heartbeat ?? "worker",
    exitWhenBlocked: given.exitWhenBlocked ?? false,
    webhookHosts: new AllowedHosts(given.webhookAllowedHosts ?? []),
    webhookSecrets: given.webhookSecrets ?? [],
    brokers: new BrokerTargets(given.brokers ?? {}),
    roles: given.roles ?? [engine ? "engine" : "api"],
    cluster: given.cluster ?? schema,
    nodeName: given.nodeName ?? hostname(),
    application: given.application ?? "application",
    around: given.around ?? [],
    tracing: tracingOf(given),
  };
}

function schedulerOptions(given: DelayTaskNodeOptions, faults: Fault[]): SchedulerOptions {
  const entries = Object.entries(given).filter(([name]) => Object.hasOwn(DEFAULT_OPTIONS, name));
  try {
    return resolveOptions(Object.fromEntries(entries));
  } catch (error) {
    if (!(error instanceof TickwheelError)) throw error;
    faults.push(...error.faults);
    return resolveOptions();
  }
}

function transactionsOf({ transactions, dataSource }: DelayTaskNodeOptions): TransactionAdapter | null {
  return transactions ?? (dataSource ? typeormTransactions(dataSource) : null);
}

function tracingOf({ tracing = {} }: DelayTaskNodeOptions): Required<TracingOptions> | false {
  if (tracing === false) return false;
  const { baggage = [], runs = "same-trace" } = tracing;
  return { baggage, runs };
}

/** The connection for checked options. */
function connectionFor({ url, dataSource }: DelayTaskNodeOptions): ConnectionOptions {
  return url === undefined ? connectionOf(dataSource!)! : connectionOptions(url);
}

function configurationError(name: string, faults: Fault[]): TickwheelError {
  const list = faults.map((fault) => `${fault.path} ${fault.message}`).join("; ");
  return new TickwheelError("CONFIGURATION_INVALID", `${name} cannot start: ${list}`, { faults });
}
