import { DEFAULT_OPTIONS, type Fault, isBaggageKey, MAX_BAGGAGE_KEYS, numberFault, numberRule } from "@tickwheel/core";
import { sourceFaults } from "@tickwheel/redis-coordination";
import { brokerFaults, isHostEntry, isSecret, SECRETS_RULE } from "@tickwheel/executors";
import { type InputRule, isContainer, oneOfRule, textRule } from "@tickwheel/calls";
import { suggestion } from "@tickwheel/core";

const ROLES: readonly unknown[] = ["api", "engine"];

/** The hot path holds one, and cancels of statements come by another. */
const POOL_SIZE = numberRule("count", 2, 1_000);

/** The rule for an option that is true or false. */
export const trueOrFalse: InputRule = (value) => (typeof value === "boolean" ? null : "must be true or false");
const address: InputRule = (value) => (typeof value === "string" && value !== "" ? null : "must be an address");
const listOf =
  (isEntry: (text: string) => boolean, message: string): InputRule =>
  (value) =>
    Array.isArray(value) && value.every((entry) => typeof entry === "string" && isEntry(entry)) ? null : message;

/** Rules of options, by name. Undefined is absent, and keeps every rule. */
export type OptionRules = Readonly<Record<string, InputRule>>;

/** Every option of a node but the scheduler's own times and limits. */
const RULES: OptionRules = {
  dataSource: (value) =>
    isContainer(value) && isContainer(value.options) && value.options.type === "postgres"
      ? null
      : "must be a DataSource of TypeORM for Postgres",
  transactions: (value) =>
    isContainer(value) && typeof value.run === "function" && typeof value.statements === "function"
      ? null
      : "must be an adapter with run and statements, such as prismaTransactions(client)",
  url: address,
  transactionPooling: trueOrFalse,
  listenUrl: address,
  schema: (value) =>
    typeof value === "string" && /^[a-z_][a-z0-9_]{0,50}$/.test(value)
      ? null
      : "must be a lower-case SQL name of at most 51 characters",
  migrate: trueOrFalse,
  // Their faults have paths of their own.
  redis: () => null,
  brokers: () => null,
  namespace: textRule(1, 256),
  nodeName: textRule(1, 64),
  application: textRule(1, 64),
  around: (value) =>
    Array.isArray(value) && value.every((entry) => typeof entry === "function") ? null : "must be a list of functions",
  tracing: (value) => (value === false || isTracing(value) ? null : TRACING_RULE),
  engine: trueOrFalse,
  poolSize: (value) => numberFault(value, POOL_SIZE),
  heartbeat: oneOfRule(["worker", "loop"], "must be worker or loop"),
  exitWhenBlocked: trueOrFalse,
  webhookAllowedHosts: listOf(isHostEntry, "must be a list of host, host:port or networks"),
  webhookSecrets: listOf(isSecret, SECRETS_RULE),
  roles: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((role) => ROLES.includes(role))
      ? null
      : "must be a list of api and engine",
  cluster: (value) =>
    typeof value === "string" && /^[^{}\0]{1,256}$/.test(value)
      ? null
      : "must be a text of 1 to 256 characters without braces",
};

/** The names of all options of a node. */
export const NODE_OPTION_NAMES: readonly string[] = [...Object.keys(RULES), ...Object.keys(DEFAULT_OPTIONS)];

/**
 * Every fault of a node's own options and of those beside them, and of names that are no option's, with the one that
 * was meant.
 *
 * @param more the options beside those of a node
 */
export function optionFaults(given: Readonly<Record<string, unknown>>, more: OptionRules): Fault[] {
  const rules: OptionRules = { ...RULES, ...more };
  const faults = Object.entries(given).flatMap(([path, value]): Fault[] => {
    if (!Object.hasOwn(rules, path))
      return Object.hasOwn(DEFAULT_OPTIONS, path) ? [] : [{ path, message: notAnOption(path, more) }];
    const message = value === undefined ? null : rules[path]!(value);
    return message === null ? [] : [{ path, message }];
  });
  return [...faults, ...placeFaults(given), ...redisFaults(given), ...targetFaults(given), ...rolesFaults(given)];
}

/** Where Postgres is, and whose transactions are joined. */
function placeFaults({ dataSource, transactions, url }: Readonly<Record<string, unknown>>): Fault[] {
  if (transactions === undefined)
    return dataSource === undefined && url === undefined
      ? [{ path: "dataSource", message: "or url must be given: where Postgres is" }]
      : [];
  if (dataSource !== undefined)
    return [{ path: "transactions", message: "must not be given beside dataSource: one of them is joined" }];
  return url === undefined ? [{ path: "url", message: "must be given beside transactions: where Postgres is" }] : [];
}

function redisFaults({ redis }: Readonly<Record<string, unknown>>): Fault[] {
  return redis === undefined ? [] : sourceFaults(redis, "redis");
}

function targetFaults({ brokers }: Readonly<Record<string, unknown>>): Fault[] {
  return brokers === undefined ? [] : brokerFaults(brokers, "brokers");
}

function rolesFaults({ roles, engine = true }: Readonly<Record<string, unknown>>): Fault[] {
  if (!Array.isArray(roles) || roles.includes("engine") === engine) return [];
  return [{ path: "roles", message: engine ? "must hold engine" : "must not hold engine where engine is false" }];
}

const TRACING_RULE = "must be false, or { baggage: keys, runs: same-trace or own-trace }";

function isTracing(value: unknown): boolean {
  if (!isContainer(value) || Array.isArray(value)) return false;
  const { baggage = [], runs = "same-trace", ...unknown } = value as Record<string, unknown>;
  const isKey = (key: unknown): boolean => typeof key === "string" && isBaggageKey(key);
  const isKnown = Object.keys(unknown).length === 0 && (runs === "same-trace" || runs === "own-trace");
  return isKnown && Array.isArray(baggage) && baggage.length <= MAX_BAGGAGE_KEYS && baggage.every(isKey);
}

function notAnOption(name: string, more: OptionRules): string {
  return `is not an option${suggestion(name, [...NODE_OPTION_NAMES, ...Object.keys(more)])}`;
}
