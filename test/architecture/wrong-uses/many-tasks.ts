import type { WrongUse } from "./wrong-use.js";

/** Schedules, batches and spawned tasks that do not fit. */
export const WRONG_MANY: readonly WrongUse[] = [
  {
    name: "a schedule without a time",
    use: 'await tasks.schedules.put({ name: "a", task: "any" });',
    refusal: "is not assignable",
  },
  {
    name: "a schedule with cron and a rate",
    use: 'await tasks.schedules.put({ name: "a", task: "any", cron: "0 0 * * *", every: "1d" });',
    refusal: "is not assignable",
  },
  {
    name: "a schedule with a rate and a delay",
    use: 'await tasks.schedules.put({ name: "a", task: "any", every: "1d", after: "1d" });',
    refusal: "is not assignable",
  },
  {
    name: "a schedule whose only time is null",
    use: 'await tasks.schedules.create({ name: "a", task: "any", cron: null });',
    refusal: "is not assignable",
  },
  {
    name: "a schedule of a type that needs a payload, without one",
    use: 'await tasks.schedules.put({ name: "a", task: CancelOrder, every: "1d" });',
    refusal: "Property 'payload' is missing",
  },
  {
    name: "a schedule with another task's payload",
    use: 'await tasks.schedules.put({ name: "a", task: CancelOrder, payload: { amount: 1 }, every: "1d" });',
    refusal: "'amount' does not exist",
  },
  {
    name: "a policy of a schedule that does not exist",
    use: 'await tasks.schedules.put({ name: "a", task: "any", every: "1d", overlap: "queue" });',
    refusal: "'\"queue\"' is not assignable",
  },
  {
    name: "an interval in code with cron beside it",
    use: 'class P { @ClusterInterval("30s", { name: "poll", cron: "* * * * *" }) poll(): void {} }',
    refusal: "'cron' does not exist",
  },
  {
    name: "a schedule in code without a name",
    use: 'class P { @ClusterCron("5 0 * * *", {}) settle(): void {} }',
    refusal: "Property 'name' is missing",
  },
  {
    name: "a member with another task's payload",
    use: "await tasks.batches.create({ tasks: [{ task: CancelOrder, payload: { amount: 1 } }] });",
    refusal: "'amount' does not exist",
  },
  {
    name: "an added member with another task's payload",
    use: 'await tasks.batches.add("id", [{ task: CancelOrder, payload: { orderId: 1 } }]);',
    refusal: "Type 'number' is not assignable to type 'string'",
  },
  {
    name: "what happens at a batch's end with another task's payload",
    use: "await tasks.batches.create({ onComplete: { task: CancelOrder, payload: { amount: 1 } } });",
    refusal: "'amount' does not exist",
  },
  {
    name: "what happens at a batch's end without its payload",
    use: "await tasks.batches.create({ onSuccess: { task: CancelOrder } });",
    refusal: "Property 'payload' is missing",
  },
  {
    name: "a key of what happens at the end of a batch",
    use: 'await tasks.batches.create({ onComplete: { task: "any", key: "1" } });',
    refusal: "'key' does not exist",
  },
  {
    name: "shards in words",
    use: 'await tasks.batches.create({ shards: "all" });',
    refusal: "'\"all\"' is not assignable",
  },
  {
    name: "a spawned task with another task's payload",
    use: "await ctx.spawn([{ task: CancelOrder, payload: { amount: 1 } }]);",
    refusal: "'amount' does not exist",
  },
  {
    name: "a spawned task that lacks its payload",
    use: "await ctx.spawn([{ task: CancelOrder }]);",
    refusal: "Property 'payload' is missing",
  },
  {
    name: "a spawned task with the payload of the one before",
    use: 'await ctx.spawn([{ task: CancelOrder, payload: { orderId: "1" } }, { task: Pay, payload: { orderId: "1" } }]);',
    refusal: "'orderId' does not exist",
  },
  {
    name: "a key of a spawned task",
    use: 'await ctx.spawn([{ task: CancelOrder, payload: { orderId: "1" }, key: "1" }]);',
    refusal: "'key' does not exist",
  },
  {
    name: "one spawned task in place of a list",
    use: 'await ctx.spawn({ task: CancelOrder, payload: { orderId: "1" } });',
    refusal: "'task' does not exist in type 'readonly SpawnItem",
  },
];
