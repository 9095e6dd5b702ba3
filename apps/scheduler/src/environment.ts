import { isIP } from "node:net";
import {
  DEFAULT_OPTIONS,
  type Fault,
  isBaggageKey,
  MAX_BAGGAGE_KEYS,
  resolveOptions,
  type SchedulerOptions,
  TickwheelError,
  variableOf,
} from "@tickwheel/core";
import { MIN_KEY_LENGTH } from "@tickwheel/api";
import {
  brokerFaults,
  type BrokerTarget,
  isAddressRange,
  isHostEntry,
  isSecret,
  SECRETS_RULE,
} from "@tickwheel/executors";

export const NODE_ROLES = ["api", "engine"] as const;
export type NodeRole = (typeof NODE_ROLES)[number];

export const LOG_FORMATS = ["json", "text"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What a node takes from its environment, checked. */
export interface Environment {
  port: number;
  /** Null: an embedded Postgres. */
  databaseUrl: string | null;
  /** Whether DATABASE_URL leads through PgBouncer or the like in transaction mode. */
  transactionPooling: boolean;
  /** The way past it, for the one connection that listens; null: none. */
  listenUrl: string | null;
  /** Null: coordination through Postgres alone. */
  redisUrl: string | null;
  isProduction: boolean;
  /** The first administrator key; null: one is made if there is none. */
  apiKey: string | null;
  roles: readonly NodeRole[];
  webhookAllowedHosts: readonly string[];
  /** What signs webhooks, the newest first; none: left to nodes that have some, or not signed where none has. */
  webhookSecrets: readonly string[];
  /** Message brokers by their names. */
  brokers: Readonly<Record<string, BrokerTarget>>;
  /** Networks of proxies whose `X-Forwarded-For` says who asks. */
  trustedProxies: readonly string[];
  /** What people call this node; null: the machine's name. */
  nodeName: string | null;
  /** Null: text on a terminal outside production, else JSON. */
  logFormat: LogFormat | null;
  logLevel: LogLevel;
  /** False: nothing is traced, and no header of a trace is read. */
  isTracing: boolean;
  /** Keys of the baggage that travels with a task. */
  tracingBaggage: readonly string[];
  /** Those named options that the environment sets. */
  scheduler: Partial<SchedulerOptions>;
}

const HOSTS_RULE = "must be a list of host, host:port or networks such as 10.0.0.0/8, with commas";
const PROXIES_RULE = "must be a list of addresses or networks such as 10.0.0.0/8, with commas";
const BAGGAGE_RULE = `must be a list of at most ${MAX_BAGGAGE_KEYS} keys, with commas`;
const POSTGRES_URL = "must be a URL such as postgres://user:password@host:5432/database";

type Variables = Readonly<Record<string, string | undefined>>;

const PREFIX = "TICKWHEEL_";
const OPTION_NAMES = Object.keys(DEFAULT_OPTIONS) as (keyof SchedulerOptions)[];
const OPTION_OF_VARIABLE = new Map(OPTION_NAMES.map((name) => [variableOf(name), name]));
const OWN_VARIABLES = [
  "TICKWHEEL_API_KEY",
  "TICKWHEEL_ROLES",
  "TICKWHEEL_WEBHOOK_ALLOWED_HOSTS",
  "TICKWHEEL_WEBHOOK_SECRETS",
  "TICKWHEEL_BROKERS",
  "TICKWHEEL_TRANSACTION_POOLING",
  "TICKWHEEL_LISTEN_URL",
  "TICKWHEEL_TRUSTED_PROXIES",
  "TICKWHEEL_NODE_NAME",
  "TICKWHEEL_LOG_FORMAT",
  "TICKWHEEL_LOG_LEVEL",
  "TICKWHEEL_TRACING",
  "TICKWHEEL_TRACING_BAGGAGE",
];

/**
 * Reads a node's configuration. A variable that is empty counts as not set.
 *
 * @throws TickwheelError `CONFIGURATION_INVALID` with every unknown variable, bad value and bad relation at once
 */
export function parseEnvironment(variables: Variables): Environment {
  const reader = new VariableReader(variables);
  const isProduction = reader.text("NODE_ENV") === "production";
  const environment: Environment = {
    port: reader.parse("PORT", "must be a port number, 0 to 65535", portOf) ?? 3000,
    databaseUrl: reader.parse("DATABASE_URL", POSTGRES_URL, postgresUrlOf),
    transactionPooling: reader.parse("TICKWHEEL_TRANSACTION_POOLING", "must be true or false", flagOf) ?? false,
    listenUrl: reader.parse("TICKWHEEL_LISTEN_URL", POSTGRES_URL, postgresUrlOf),
    redisUrl: reader.parse("REDIS_URL", "must be a URL such as redis://host:6379", (text) =>
      isUrl(text, ["redis:", "rediss:"]) ? text : undefined,
    ),
    isProduction,
    apiKey: reader.parse(
      "TICKWHEEL_API_KEY",
      `must be ${MIN_KEY_LENGTH} to 512 printable characters without spaces`,
      keyOf,
    ),
    roles: reader.parse("TICKWHEEL_ROLES", "must be api, engine, or both with a comma", rolesOf) ?? NODE_ROLES,
    webhookAllowedHosts: reader.parse("TICKWHEEL_WEBHOOK_ALLOWED_HOSTS", HOSTS_RULE, hostsOf) ?? [],
    webhookSecrets: reader.parse("TICKWHEEL_WEBHOOK_SECRETS", SECRETS_RULE, secretsOf) ?? [],
    brokers: readBrokers(reader),
    trustedProxies: reader.parse("TICKWHEEL_TRUSTED_PROXIES", PROXIES_RULE, proxiesOf) ?? [],
    nodeName: reader.parse("TICKWHEEL_NODE_NAME", "must be 1 to 64 printable characters", nameOf),
    ...readLog(reader),
    isTracing: reader.parse("TICKWHEEL_TRACING", "must be true or false", flagOf) ?? true,
    tracingBaggage: reader.parse("TICKWHEEL_TRACING_BAGGAGE", BAGGAGE_RULE, baggageKeysOf) ?? [],
    scheduler: schedulerOptions(reader),
  };
  if (isProduction && !variables["DATABASE_URL"])
    reader.fault(
      "DATABASE_URL",
      "must be set when NODE_ENV is production: the embedded Postgres is for trying things out",
    );
  reader.finish();
  return environment;
}

/** The effective configuration, one `NAME=value` a line, with what must stay secret masked. */
export function describeEnvironment(environment: Environment): string[] {
  const { port, databaseUrl, redisUrl, apiKey, roles, webhookAllowedHosts, scheduler } = environment;
  const { transactionPooling, listenUrl, webhookSecrets, trustedProxies, isTracing, tracingBaggage } = environment;
  const shown: Record<string, string | number> = {
    PORT: port,
    NODE_ENV: environment.isProduction ? "production" : "development",
    DATABASE_URL: databaseUrl === null ? "(embedded)" : maskUrl(databaseUrl),
    TICKWHEEL_TRANSACTION_POOLING: String(transactionPooling),
    TICKWHEEL_LISTEN_URL: listenUrl === null ? "(none)" : maskUrl(listenUrl),
    REDIS_URL: redisUrl === null ? "(none)" : maskUrl(redisUrl),
    TICKWHEEL_API_KEY: apiKey === null ? "(none)" : "***",
    TICKWHEEL_ROLES: roles.join(","),
    TICKWHEEL_WEBHOOK_ALLOWED_HOSTS: webhookAllowedHosts.join(",") || "(none)",
    TICKWHEEL_TRUSTED_PROXIES: trustedProxies.join(",") || "(none)",
    TICKWHEEL_NODE_NAME: environment.nodeName ?? "(the machine's)",
    TICKWHEEL_LOG_FORMAT: environment.logFormat ?? "(by the terminal)",
    TICKWHEEL_LOG_LEVEL: environment.logLevel,
    TICKWHEEL_TRACING: String(isTracing),
    TICKWHEEL_TRACING_BAGGAGE: tracingBaggage.join(",") || "(none)",
    TICKWHEEL_BROKERS: Object.keys(environment.brokers).join(",") || "(none)",
    TICKWHEEL_WEBHOOK_SECRETS: webhookSecrets.map(() => "***").join(",") || "(none)",
  };
  for (const [name, value] of Object.entries(scheduler)) shown[variableOf(name)] = value;
  return Object.entries(shown).map(([name, value]) => `${name}=${value}`);
}

/**
 * How the log is to be written, also where the environment is not valid: a format of its own, else text on a terminal
 * outside production, else JSON.
 */
export function logSettings(variables: Variables, isTerminal: boolean): { format: LogFormat; level: LogLevel } {
  const reader = new VariableReader(variables);
  const isForPeople = isTerminal && reader.text("NODE_ENV") !== "production";
  const { logFormat, logLevel: level } = readLog(reader);
  return { format: logFormat ?? (isForPeople ? "text" : "json"), level };
}

function readLog(reader: VariableReader): Pick<Environment, "logFormat" | "logLevel"> {
  return {
    logFormat: reader.parse("TICKWHEEL_LOG_FORMAT", "must be json or text", oneOf(LOG_FORMATS)),
    logLevel: reader.parse("TICKWHEEL_LOG_LEVEL", "must be debug, info, warn or error", oneOf(LOG_LEVELS)) ?? "info",
  };
}

/** A URL without its password and without its parameters, which may hold one too. */
export function maskUrl(text: string): string {
  const url = new URL(text);
  if (url.password !== "") url.password = "***";
  url.search = "";
  return url.href;
}

/** Reads variables one by one and collects what is wrong with them. */
class VariableReader {
  private readonly faults: Fault[] = [];

  constructor(private readonly variables: Variables) {}

  text(name: string): string | null {
    return this.variables[name] || null;
  }

  /** What `parser` makes of a variable; null where it is not set, or wrong, which is noted. */
  parse<T>(name: string, message: string, parser: (text: string) => T | undefined): T | null {
    const text = this.text(name);
    if (text === null) return null;
    const parsed = parser(text);
    if (parsed === undefined) this.fault(name, message);
    return parsed ?? null;
  }

  fault(path: string, message: string): void {
    this.faults.push({ path, message });
  }

  finish(): void {
    const known = [...OWN_VARIABLES, ...OPTION_OF_VARIABLE.keys()];
    for (const name of Object.keys(this.variables))
      if (name.startsWith(PREFIX) && !known.includes(name)) this.fault(name, "is not a variable of Tickwheel");
    if (this.faults.length === 0) return;
    const list = this.faults.map(({ path, message }) => `  ${path} ${message}`).join("\n");
    throw new TickwheelError("CONFIGURATION_INVALID", `The environment is not valid:\n${list}`, {
      faults: this.faults,
    });
  }
}

function schedulerOptions(reader: VariableReader): Partial<SchedulerOptions> {
  const given: Partial<SchedulerOptions> = {};
  for (const [variable, option] of OPTION_OF_VARIABLE) {
    const value = reader.parse(variable, "must be a number", numberOf);
    if (value !== null) given[option] = value;
  }
  try {
    resolveOptions(given);
  } catch (error) {
    if (!(error instanceof TickwheelError)) throw error;
    for (const { path, message } of error.faults) reader.fault(variableOf(path), inVariables(message));
  }
  return given;
}

/** A message about options in the names of their variables. */
function inVariables(message: string): string {
  return OPTION_NAMES.reduce((text, name) => text.replaceAll(name, variableOf(name)), message);
}

function postgresUrlOf(text: string): string | undefined {
  return isUrl(text, ["postgres:", "postgresql:"]) ? text : undefined;
}

function oneOf<T extends string>(values: readonly T[]): (text: string) => T | undefined {
  return (text) => values.find((value) => value === text);
}

function flagOf(text: string): boolean | undefined {
  return text === "true" || (text === "false" ? false : undefined);
}

function portOf(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  return port <= 65_535 ? port : undefined;
}

function numberOf(text: string): number | undefined {
  return /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
}

function keyOf(text: string): string | undefined {
  return text.length >= MIN_KEY_LENGTH && /^[\x21-\x7e]{1,512}$/.test(text) ? text : undefined;
}

function nameOf(text: string): string | undefined {
  return /^[^\p{C}]{1,64}$/u.test(text) ? text : undefined;
}

function rolesOf(text: string): NodeRole[] | undefined {
  const roles = NODE_ROLES.filter((role) => itemsOf(text).includes(role));
  return roles.length === new Set(itemsOf(text)).size ? roles : undefined;
}

function hostsOf(text: string): string[] | undefined {
  const hosts = itemsOf(text);
  return hosts.every(isHostEntry) ? hosts : undefined;
}

function baggageKeysOf(text: string): string[] | undefined {
  const keys = itemsOf(text);
  return keys.length <= MAX_BAGGAGE_KEYS && keys.every(isBaggageKey) ? keys : undefined;
}

function secretsOf(text: string): string[] | undefined {
  const secrets = itemsOf(text);
  return secrets.every(isSecret) ? secrets : undefined;
}

/** As networks: an address is one of its own. */
function proxiesOf(text: string): string[] | undefined {
  const networks = itemsOf(text).map((item) => (isIP(item) === 0 ? item : `${item}/${isIP(item) === 4 ? 32 : 128}`));
  return networks.every(isAddressRange) ? networks : undefined;
}

/** An address may hold a password, so no fault tells a value. */
function readBrokers(reader: VariableReader): Environment["brokers"] {
  const name = "TICKWHEEL_BROKERS";
  const given = reader.parse(name, "must be JSON: an object of targets by their names", jsonOf);
  if (given === null) return {};
  const faults = brokerFaults(given, name);
  for (const { path, message } of faults) reader.fault(path, message);
  return faults.length > 0 ? {} : (given as Environment["brokers"]);
}

function jsonOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function itemsOf(text: string): string[] {
  return text.split(",").map((item) => item.trim());
}

function isUrl(text: string, protocols: readonly string[]): boolean {
  return URL.canParse(text) && protocols.includes(new URL(text).protocol);
}
