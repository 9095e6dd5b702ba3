import { describe, expect, test } from "@jest/globals";
import { OPTION_RULES, TickwheelError } from "@tickwheel/core";
import { describeEnvironment, logSettings, maskUrl, parseEnvironment } from "./environment.js";

const KEY = "a-key-of-at-least-32-characters-long";

function faultsOf(variables: Record<string, string>): Record<string, string> {
  try {
    parseEnvironment(variables);
  } catch (error) {
    if (!(error instanceof TickwheelError)) throw error;
    expect(error.code).toBe("CONFIGURATION_INVALID");
    for (const fault of error.faults) expect(error.message).toContain(`${fault.path} ${fault.message}`);
    return Object.fromEntries(error.faults.map(({ path, message }) => [path, message]));
  }
  return {};
}

describe("the environment of a node", () => {
  test("the environment of a node needs no variable", () => {
    expect(parseEnvironment({})).toEqual({
      port: 3000,
      databaseUrl: null,
      transactionPooling: false,
      listenUrl: null,
      redisUrl: null,
      isProduction: false,
      apiKey: null,
      roles: ["api", "engine"],
      webhookAllowedHosts: [],
      trustedProxies: [],
      webhookSecrets: [],
      brokers: {},
      nodeName: null,
      logFormat: null,
      logLevel: "info",
      isTracing: true,
      tracingBaggage: [],
      scheduler: {},
    });
  });

  test("the environment of a node takes every variable, and leaves those of other programs alone", () => {
    const environment = parseEnvironment({
      PATH: "/bin",
      PORT: "0",
      NODE_ENV: "production",
      DATABASE_URL: "postgres://u:p@db/tasks",
      REDIS_URL: "rediss://cache:6380",
      TICKWHEEL_API_KEY: KEY,
      TICKWHEEL_TRANSACTION_POOLING: "true",
      TICKWHEEL_LISTEN_URL: "postgres://u:p@direct/tasks",
      TICKWHEEL_ROLES: "engine",
      TICKWHEEL_WEBHOOK_ALLOWED_HOSTS: "hooks.example, 127.0.0.1:9000,[::1]:80",
      TICKWHEEL_WEBHOOK_SECRETS: "whsec_bmV3, old",
      TICKWHEEL_BROKERS: '{"shop":{"kind":"nats","url":"nats://n:4222","subject":"orders"}}',
      TICKWHEEL_TRUSTED_PROXIES: "10.0.0.0/8, 192.0.2.1,::1",
      TICKWHEEL_NODE_NAME: "tw-a",
      TICKWHEEL_LOG_FORMAT: "text",
      TICKWHEEL_LOG_LEVEL: "debug",
      TICKWHEEL_TRACING: "false",
      TICKWHEEL_TRACING_BAGGAGE: "tenant, user",
      TICKWHEEL_HEARTBEAT_INTERVAL_MS: "900",
      TICKWHEEL_STATEMENT_TIMEOUT_MS: "1800",
      TICKWHEEL_CONCURRENCY: "20",
    });
    expect(environment).toEqual({
      port: 0,
      databaseUrl: "postgres://u:p@db/tasks",
      transactionPooling: true,
      listenUrl: "postgres://u:p@direct/tasks",
      redisUrl: "rediss://cache:6380",
      isProduction: true,
      apiKey: KEY,
      roles: ["engine"],
      webhookAllowedHosts: ["hooks.example", "127.0.0.1:9000", "[::1]:80"],
      trustedProxies: ["10.0.0.0/8", "192.0.2.1/32", "::1/128"],
      webhookSecrets: ["whsec_bmV3", "old"],
      brokers: { shop: { kind: "nats", url: "nats://n:4222", subject: "orders" } },
      nodeName: "tw-a",
      logFormat: "text",
      logLevel: "debug",
      isTracing: false,
      tracingBaggage: ["tenant", "user"],
      scheduler: { heartbeatIntervalMs: 900, statementTimeoutMs: 1_800, concurrency: 20 },
    });
  });

  test("the environment of a node takes an empty variable as one that is not set", () => {
    expect(parseEnvironment({ PORT: "", DATABASE_URL: "", TICKWHEEL_API_KEY: "" })).toEqual(parseEnvironment({}));
  });

  test("the environment of a node is refused with all of its faults at once", () => {
    const faults = faultsOf({
      PORT: "70000",
      DATABASE_URL: "mysql://x",
      REDIS_URL: "localhost:6379",
      TICKWHEEL_API_KEY: "short",
      TICKWHEEL_TRANSACTION_POOLING: "yes",
      TICKWHEEL_ROLES: "api,cook",
      TICKWHEEL_WEBHOOK_ALLOWED_HOSTS: "https://x/y",
      TICKWHEEL_WEBHOOK_SECRETS: "new,,whsec_",
      TICKWHEEL_LOG_FORMAT: "xml",
      TICKWHEEL_LOG_LEVEL: "loud",
      TICKWHEEL_TRACING: "on",
      TICKWHEEL_TRACING_BAGGAGE: "a key",
      TICKWHEEL_CONCURRENCY: "many",
      TICKWHEEL_HEARTBEAT_INTERVALL_MS: "1000",
    });
    expect(Object.keys(faults).toSorted()).toEqual([
      "DATABASE_URL",
      "PORT",
      "REDIS_URL",
      "TICKWHEEL_API_KEY",
      "TICKWHEEL_CONCURRENCY",
      "TICKWHEEL_HEARTBEAT_INTERVALL_MS",
      "TICKWHEEL_LOG_FORMAT",
      "TICKWHEEL_LOG_LEVEL",
      "TICKWHEEL_ROLES",
      "TICKWHEEL_TRACING",
      "TICKWHEEL_TRACING_BAGGAGE",
      "TICKWHEEL_TRANSACTION_POOLING",
      "TICKWHEEL_WEBHOOK_ALLOWED_HOSTS",
      "TICKWHEEL_WEBHOOK_SECRETS",
    ]);
  });

  test("the environment of a node is refused when options break a relation, in the names of the variables", () => {
    expect(faultsOf({ TICKWHEEL_HEARTBEAT_INTERVAL_MS: "2000" })).toEqual({
      TICKWHEEL_REDIS_KEY_TTL_MS: "must be at least TICKWHEEL_HEARTBEAT_INTERVAL_MS × TICKWHEEL_SUSPECT_AFTER_BEATS",
    });
  });

  test("the environment of a node is refused with an option of 0", () => {
    expect(faultsOf({ TICKWHEEL_CONCURRENCY: "0" })).toEqual({
      TICKWHEEL_CONCURRENCY: "must be a whole number from 1 to 100,000",
    });
  });

  test.each(["0.5", "99999999999999999", "9".repeat(400)])(
    "the environment of a node is refused with %s in any option, all at once",
    (text) => {
      const names = Object.keys(OPTION_RULES).map(
        (name) => `TICKWHEEL_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`,
      );
      expect(Object.keys(faultsOf(Object.fromEntries(names.map((name) => [name, text])))).sort()).toEqual(names.sort());
    },
  );

  test("the environment of a node names every fault of its brokers, and none of their passwords", () => {
    const TICKWHEEL_BROKERS = '{"shop":{"kind":"amqp","url":"amqp:user:hunter2@rabbit"},"news":{"kind":"mqtt"}}';
    const faults = faultsOf({ TICKWHEEL_BROKERS });
    expect(Object.keys(faults)).toEqual([
      "TICKWHEEL_BROKERS.shop.url",
      "TICKWHEEL_BROKERS.shop.subject",
      "TICKWHEEL_BROKERS.news.kind",
    ]);
    expect(JSON.stringify(faults)).not.toContain("hunter2");
    expect(Object.keys(faultsOf({ TICKWHEEL_BROKERS: "shop=amqp://" }))).toEqual(["TICKWHEEL_BROKERS"]);
  });

  test("the environment of a node is refused in production without a database", () => {
    expect(Object.keys(faultsOf({ NODE_ENV: "production" }))).toEqual(["DATABASE_URL"]);
  });

  test("the environment of a node is shown without its secrets", () => {
    const lines = describeEnvironment(
      parseEnvironment({
        DATABASE_URL: "postgres://me:hunter2@db/tasks?password=hunter3",
        REDIS_URL: "redis://:hunter4@cache",
        TICKWHEEL_API_KEY: KEY,
        TICKWHEEL_CONCURRENCY: "20",
        TICKWHEEL_BROKERS: '{"shop":{"kind":"amqp","url":"amqp://user:hunter5@rabbit","subject":"orders"}}',
      }),
    );
    expect(lines).toContain("TICKWHEEL_BROKERS=shop");
    expect(lines).toContain("DATABASE_URL=postgres://me:***@db/tasks");
    expect(lines).toContain("TICKWHEEL_CONCURRENCY=20");
    expect(lines.join()).not.toMatch(/hunter|a-key-of/);
  });
});

test("a URL without a password is shown as it is", () => {
  expect(maskUrl("redis://cache:6380/2")).toBe("redis://cache:6380/2");
});

test.each([
  ["text on a terminal", logSettings({}, true), "text"],
  ["JSON in production, also on a terminal", logSettings({ NODE_ENV: "production" }, true), "json"],
  ["JSON where no terminal is", logSettings({}, false), "json"],
  ["what the environment says", logSettings({ NODE_ENV: "production", TICKWHEEL_LOG_FORMAT: "text" }, false), "text"],
  ["as without a format, where that is not valid", logSettings({ TICKWHEEL_LOG_FORMAT: "xml" }, false), "json"],
])("the log is %s", (_what, settings, format) => {
  expect(settings).toEqual({ format, level: "info" });
});
