import { describe, expect, test } from "@jest/globals";
import { brokerFaults, type BrokerTarget, BrokerTargets } from "./broker-targets.js";

const shop: BrokerTarget = {
  kind: "amqp",
  url: "amqp://rabbit/shop",
  subject: "orders",
  subjects: ["orders.*", "late"],
};
const news: BrokerTarget = { kind: "nats", url: ["nats://a:4222", "nats://b:4222"], subjects: ["news.*"] };
const targets = new BrokerTargets({ shop, news });

describe("where a task may be published", () => {
  test.each([
    [{ kind: "amqp", to: "shop" }, "orders"],
    [{ kind: "amqp", to: "shop", subject: "orders" }, "orders"],
    [{ kind: "amqp", to: "shop", subject: "orders.cancel" }, "orders.cancel"],
    [{ kind: "amqp", to: "shop", subject: "late" }, "late"],
    [{ kind: "nats", to: "news", subject: "news.today" }, "news.today"],
  ] as const)("the delivery %j goes to the broker's subject %s", (delivery, subject) => {
    expect(targets.faultOf(delivery)).toBeNull();
    expect(targets.resolve(delivery).subject).toBe(subject);
  });

  test.each([
    [{ kind: "amqp", to: "shp" }, "to", 'did you mean "shop"'],
    [{ kind: "amqp", to: "toString" }, "to", "must be a target"],
    [{ kind: "nats", to: "shop" }, "kind", "must be amqp"],
    [{ kind: "amqp", to: "shop", subject: "later" }, "subject", "lets tasks name"],
    [{ kind: "amqp", to: "shop", subject: "order" }, "subject", "lets tasks name"],
    [{ kind: "nats", to: "news" }, "subject", "must be given"],
  ] as const)("the delivery %j to a broker has a fault in %s", (delivery, field, words) => {
    const fault = targets.faultOf(delivery);
    expect(fault?.field).toBe(field);
    expect(fault?.message.toLowerCase()).toContain(words.toLowerCase());
  });

  test("a node without brokers publishes nothing", () => {
    const none = new BrokerTargets({});
    expect(none.isEmpty).toBe(true);
    expect(none.faultOf({ kind: "amqp", to: "shop" })?.message).toContain("names none");
  });

  test("only a broker that makes its own connections needs no package", () => {
    const connect = () => Promise.reject(new Error("never"));
    const some = new BrokerTargets({ shop, own: { kind: "kafka", connect, subject: "orders" } });
    expect(some.needingClients()).toEqual([["shop", "amqp"]]);
  });
});

describe("the options of brokers", () => {
  const subject = "orders";

  test.each<Record<string, unknown>>([
    { shop, news },
    { logs: { kind: "kafka", url: "a:9092,b:9092", subject } },
    { cache: { kind: "redis", url: "rediss://redis", subject, maxLength: 1_000 } },
    { cache: { kind: "redis", client: { sentinels: [{ host: "s1" }], name: "primary" }, subject } },
    { own: { kind: "kafka", connect: () => Promise.reject(new Error("never")), subject } },
  ])("the options %j of brokers are well", (given) => {
    expect(brokerFaults(given, "brokers")).toEqual([]);
  });

  test("every fault of the options of brokers is named, and no address is told", () => {
    const given = {
      "a b": shop,
      one: 1,
      two: { kind: "mqtt" },
      three: { kind: "amqp", url: "http://user:secret@rabbit", subject: "a b", subjects: "orders.*" },
      four: { kind: "redis", subject, maxLength: 0 },
      five: { kind: "nats", url: [], exchnge: "x", client: "token" },
    };
    const faults = brokerFaults(given, "brokers");
    expect(faults.map(({ path }) => path)).toEqual([
      "brokers.a b",
      "brokers.one",
      "brokers.two.kind",
      "brokers.three.url",
      "brokers.three.subject",
      "brokers.three.subjects",
      "brokers.four.maxLength",
      "brokers.four.url",
      "brokers.five.url",
      "brokers.five.exchnge",
      "brokers.five.client",
      "brokers.five.subject",
    ]);
    expect(JSON.stringify(faults)).not.toContain("secret");
  });

  test.each([null, [], "amqp://rabbit", 5])("%j are no options of brokers", (given) => {
    expect(brokerFaults(given, "brokers").map(({ path }) => path)).toEqual(["brokers"]);
  });

  test("there are at most 32 brokers", () => {
    const many = Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`t${n}`, shop]));
    expect(brokerFaults(many, "brokers").map(({ message }) => message)).toEqual(["must hold at most 32 targets"]);
  });
});
