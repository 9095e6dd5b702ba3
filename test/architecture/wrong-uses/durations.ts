import type { WrongUse } from "./wrong-use.js";

/** Durations that are none. */
export const WRONG_DURATIONS: readonly WrongUse[] = [
  {
    name: "a unit in words",
    use: 'await tasks.schedule("any", {}, { delay: "15 minutes" });',
    refusal: "Type '\"15 minutes\"' is not assignable to type 'DurationInput",
  },
  {
    name: "a unit that is shortened otherwise",
    use: 'await tasks.schedule("any", {}, { delay: "15min" });',
    refusal: "Type '\"15min\"' is not assignable to type 'DurationInput",
  },
  {
    name: "a text that is no duration",
    use: 'await tasks.schedule("any", {}, { delay: "abc" });',
    refusal: "Type '\"abc\"' is not assignable to type 'DurationInput",
  },
  {
    name: "a duration below zero",
    use: 'await tasks.schedule("any", {}, { delay: "-5s" });',
    refusal: "Type '\"-5s\"' is not assignable to type 'DurationInput",
  },
  {
    name: "a longer duration below zero",
    use: 'await tasks.schedule("any", {}, { delay: "-15s" });',
    refusal: "Type '\"-15s\"' is not assignable to type 'DurationInput",
  },
  {
    name: "an empty text as a duration",
    use: 'await tasks.schedule("any", {}, { delay: "" });',
    refusal: "Type '\"\"' is not assignable to type 'DurationInput",
  },
  {
    name: "a duration without a unit",
    use: 'await tasks.schedule("any", {}, { delay: "15" });',
    refusal: "Type '\"15\"' is not assignable to type 'DurationInput",
  },
  {
    name: "a space before the unit",
    use: 'await tasks.schedule("any", {}, { delay: "15 m" });',
    refusal: "Type '\"15 m\"' is not assignable to type 'DurationInput",
  },
  {
    name: "a space before the duration",
    use: 'await tasks.schedule("any", {}, { delay: " 15m" });',
    refusal: "Type '\" 15m\"' is not assignable to type 'DurationInput",
  },
  {
    name: "a space between two units",
    use: 'await tasks.schedule("any", {}, { delay: "1h 30m" });',
    refusal: "Type '\"1h 30m\"' is not assignable to type 'DurationInput",
  },
  {
    name: "a unit in capitals",
    use: 'await tasks.schedule("any", {}, { delay: "15M" });',
    refusal: "Type '\"15M\"' is not assignable to type 'DurationInput",
  },
  {
    name: "a unit that there is not",
    use: 'await tasks.schedule("any", {}, { delay: "1y" });',
    refusal: "Type '\"1y\"' is not assignable to type 'DurationInput",
  },
  {
    name: "months, whose length is not fixed",
    use: 'await tasks.schedule("any", {}, { delay: "P1M" });',
    refusal: "Type '\"P1M\"' is not assignable to type 'DurationInput",
  },
  {
    name: "a comma in a duration",
    use: 'await tasks.schedule("any", {}, { delay: "1,5h" });',
    refusal: "Type '\"1,5h\"' is not assignable to type 'DurationInput",
  },
  {
    name: "a second amount without its unit",
    use: 'await tasks.schedule("any", {}, { delay: "1h30" });',
    refusal: "Type '\"1h30\"' is not assignable to type 'DurationInput",
  },
  {
    name: "a text that is known at run time alone",
    use: 'await tasks.schedule("any", {}, { delay: text });',
    refusal: "Type 'string' is not assignable to type 'DurationInput",
  },
  {
    name: "a duration that is put together at run time",
    use: 'await tasks.schedule("any", {}, { delay: `${minutes}m` });',
    refusal: "is not assignable to type 'DurationInput",
  },
  {
    name: "a wrong longest wait of a merge",
    use: 'await tasks.schedule("any", {}, { key: "1", onConflict: "refresh", maxWait: "1 min" });',
    refusal: "Type '\"1 min\"' is not assignable to type 'DurationInput",
  },
  {
    name: "a wrong time-out of a task",
    use: 'await tasks.schedule("any", {}, { timeout: "30 s" });',
    refusal: "Type '\"30 s\"' is not assignable to type 'DurationInput",
  },
  {
    name: "a wrong start deadline",
    use: 'await tasks.schedule("any", {}, { startDeadline: "5mins" });',
    refusal: "Type '\"5mins\"' is not assignable to type 'DurationInput",
  },
  {
    name: "a wrong time-out of a definition",
    use: 'defineTask<{ a: 1 }>("a", { timeout: "30sec" });',
    refusal: "Type '\"30sec\"' is not assignable to type 'DurationInput",
  },
  {
    name: "a wrong wait of a backoff",
    use: 'defineTask<{ a: 1 }>("a", { backoff: { kind: "fixed", delay: "5 seconds" } });',
    refusal: "Type '\"5 seconds\"' is not assignable to type 'DurationInput",
  },
  {
    name: "a wrong rung of a ladder",
    use: 'defineTask<{ a: 1 }>("a", { backoff: { kind: "ladder", delays: ["1m", "ten"] } });',
    refusal: "Type '\"ten\"' is not assignable to type 'DurationInput",
  },
  {
    name: "a wrong delay of one of many tasks",
    use: 'await tasks.scheduleMany([{ task: CancelOrder, payload: { orderId: "1" }, delay: "1hour" }]);',
    refusal: "Type '\"1hour\"' is not assignable to type 'DurationInput",
  },
  {
    name: "a wrong delay of a change",
    use: 'await tasks.reschedule("id", { delay: "later" });',
    refusal: "Type '\"later\"' is not assignable to type 'DurationInput",
  },
  {
    name: "a wrong rate of a schedule",
    use: 'await tasks.schedules.put({ name: "a", task: "any", every: "hourly" });',
    refusal: "Type '\"hourly\"' is not assignable to type 'DurationInput",
  },
  {
    name: "a wrong delay between runs",
    use: 'await tasks.schedules.put({ name: "a", task: "any", after: "1 d" });',
    refusal: "Type '\"1 d\"' is not assignable to type 'DurationInput",
  },
  {
    name: "a wrong jitter of a schedule",
    use: 'await tasks.schedules.put({ name: "a", task: "any", every: "1d", jitter: "5 m" });',
    refusal: "Type '\"5 m\"' is not assignable to type 'DurationInput",
  },
  {
    name: "a wrong period of a rate",
    use: 'await tasks.types.update("any", { rate: { count: 5, per: "second" } });',
    refusal: "Type '\"second\"' is not assignable to type 'DurationInput",
  },
  {
    name: "a wrong time for which the dead are kept",
    use: 'await tasks.types.update("any", { keepDead: "1 month" });',
    refusal: "Type '\"1 month\"' is not assignable to type 'DurationInput",
  },
  {
    name: "a wrong deadline of a batch",
    use: 'await tasks.batches.create({ deadline: "4 hours" });',
    refusal: '"4 hours"',
  },
  {
    name: "a wrong shift of an operation",
    use: 'await tasks.operations.start({ action: "reschedule", filter: { all: true }, shift: "- 15m" });',
    refusal: '"- 15m"',
  },
  {
    name: "a wrong snooze",
    use: 'ctx.snooze("a while");',
    refusal: "'\"a while\"' is not assignable",
  },
  {
    name: "a wrong deferral of a type",
    use: 'ctx.defer("30 s");',
    refusal: "'\"30 s\"' is not assignable",
  },
  {
    name: "a wrong interval of a method",
    use: 'class P { @ClusterInterval("30 s", { name: "poll" }) poll(): void {} }',
    refusal: "'\"30 s\"' is not assignable",
  },
  {
    name: "a wrong interval of a script",
    use: 'node.interval("minute", { name: "poll" }, () => undefined);',
    refusal: "'\"minute\"' is not assignable",
  },
  {
    name: "a wrong time for which a breaker opens",
    use: 'class P { @DelayTaskHandler("any", { breaker: { openFor: "10" } }) handle(): void {} }',
    refusal: "Type '\"10\"' is not assignable to type 'DurationInput",
  },
  {
    name: "a wrong advance of a test",
    use: 'await testing.advance("15 minutes");',
    refusal: "'\"15 minutes\"' is not assignable",
  },
  {
    name: "a wrong outage of a test",
    use: 'await testing.outage("an hour");',
    refusal: "'\"an hour\"' is not assignable",
  },
  {
    name: "a wrong expectation of a test",
    use: 'await testing.expectTask(CancelOrder).dueIn("15min");',
    refusal: "'\"15min\"' is not assignable",
  },
  {
    name: "a Date as a delay",
    use: 'await tasks.schedule("any", {}, { delay: new Date() });',
    refusal: "Type 'Date' is not assignable to type 'DurationInput",
  },
];
