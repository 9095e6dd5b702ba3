import type { WrongUse } from "./wrong-use.js";

/** Messages that are published later, and are none. */
export const WRONG_PUBLISHING: readonly WrongUse[] = [
  {
    name: "a message with a Date",
    use: 'await orders.emit("order.expired", { at: new Date() });',
    refusal: "JSON keeps no Date",
  },
  {
    name: "a message that says when it is due in two ways",
    use: 'await orders.emit("order.expired", { id: 1 }, { delay: "15m", scheduledAt: new Date() });',
    refusal: "not assignable",
  },
  {
    name: "a message for a webhook",
    use: 'await orders.emit("order.expired", {}, { deliver: { kind: "webhook", url: "https://a.example/" } });',
    refusal: "not assignable",
  },
  {
    name: "a cancel of a message without its key",
    use: 'await orders.cancel("order.expired");',
    refusal: "Expected 2-3 arguments",
  },
  {
    name: "a method that publishes without a promise",
    use: 'class P { @DelayedPublish({ client: "ORDERS", pattern: "a" }) run() { return { id: 1 }; } }',
    refusal: "not assignable",
  },
  {
    name: "a method that publishes a Date",
    use: 'class P { @DelayedPublish({ client: "ORDERS", pattern: "a" }) async run() { return new Date(); } }',
    refusal: "JSON keeps no Date",
  },
  {
    name: "a key of what its method does not take",
    use: 'class P { @DelayedPublish({ client: "ORDERS", pattern: "a", key: (id: string) => id }) async run(id: number) { return id; } }',
    refusal: "A function of the options takes what the method does not",
  },
];
