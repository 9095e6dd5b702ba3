import type { WrongUse } from "./wrong-use.js";

/** Handlers, conditions and listeners that do not fit. */
export const WRONG_HANDLERS: readonly WrongUse[] = [
  {
    name: "a handler of a schema's input where it gets the output",
    use: "class H { @DelayTaskHandler(ShipOrder) handle(task: DelayTask<{ at: string }>) {} }",
    refusal: "not assignable",
  },
  {
    name: "a handler without handle",
    use: "@DelayTaskHandler(CancelOrder) class Handler { run(): void {} }",
    refusal: "Property 'handle' is missing",
  },
  {
    name: "a handler of another task's payload",
    use: "@DelayTaskHandler(CancelOrder) class Handler { handle(task: DelayTask<{ amount: number }>): void {} }",
    refusal: "Property 'amount' is missing",
  },
  {
    name: "a method that handles another task's payload",
    use: "class Handler { @DelayTaskHandler(CancelOrder) pay(task: DelayTask<{ amount: number }>): void {} }",
    refusal: "Property 'amount' is missing",
  },
  {
    name: "an option of a handler that does not exist",
    use: "@DelayTaskHandler(CancelOrder, { places: 20 }) class Handler { handle(): void {} }",
    refusal: "'places' does not exist in type 'DelayTaskHandlerOptions",
  },
  {
    name: "a condition that reads what the task's payload does not have",
    use: "@DelayTaskHandler(CancelOrder, { condition: ({ payload }) => payload.amount > 0 }) class Handler { handle(): void {} }",
    refusal: "Property 'amount' does not exist",
  },
  {
    name: "a condition that answers neither true nor false",
    use: "@DelayTaskHandler(CancelOrder, { condition: ({ payload }) => payload.orderId }) class Handler { handle(): void {} }",
    refusal: "Type 'string' is not assignable to type 'boolean",
  },
  {
    name: "a listener of an event that does not exist",
    use: 'class Alerts { @OnDelayTaskEvent("task.died") alert(): void {} }',
    refusal: "'\"task.died\"' is not assignable",
  },
  {
    name: "a fact that an event does not have",
    use: 'class L { @OnDelayTaskEvent("task.dead") on({ facts }: TaskDeadEvent): void { void facts.delayMs; } }',
    refusal: "'delayMs' does not exist",
  },
  {
    name: "a listener of one event that takes another's",
    use: 'class L { @OnDelayTaskEvent("cluster.node.joined") on(event: TaskDeadEvent): void { void event; } }',
    refusal: "not assignable",
  },
  {
    name: "a module's name that is no text",
    use: 'class L { @DelayTaskHandler("any", { module: 5 }) handle(): void {} }',
    refusal: "Type 'number' is not assignable to type 'string'",
  },
  {
    name: "a function that handles a definition and takes another payload",
    use: "node.handle(CancelOrder, (task: DelayTask<{ orderId: number }>) => task);",
    refusal: "not assignable",
  },
  {
    name: "a script's listener of an event that does not exist",
    use: 'node.on("task.deed", () => undefined);',
    refusal: "not assignable",
  },
  {
    name: "a function around handlers that takes no task",
    use: 'DelayTaskModule.forRoot({ url: "postgres://", around: [(task: number) => task] });',
    refusal: "not assignable",
  },
  {
    name: "a handler whose result is a Date",
    use: '@DelayTaskHandler("any") class H { handle(): Date { return new Date(); } }',
    refusal: "JSON keeps no Date",
  },
  {
    name: "a handler whose later result is a Map",
    use: '@DelayTaskHandler("any") class H { async handle(): Promise<Map<string, number>> { return new Map(); } }',
    refusal: "JSON keeps no Map",
  },
  {
    name: "a method whose result has a bigint",
    use: "class H { @DelayTaskHandler(CancelOrder) run() { return { cents: 1n }; } }",
    refusal: "JSON keeps no bigint",
  },
  {
    name: "a method whose result is an instance with methods",
    use: "class H { @DelayTaskHandler(CancelOrder) async run() { return new Cart(); } }",
    refusal: "JSON keeps no function",
  },
  {
    name: "a function of a script whose result is a Set",
    use: 'node.handle(CancelOrder, () => new Set(["1"]));',
    refusal: "JSON keeps no Map and no Set",
  },
  {
    name: "a schedule in code whose result is a Date",
    use: 'class P { @ClusterCron("5 0 * * *", { name: "a" }) settle() { return new Date(); } }',
    refusal: "JSON keeps no Date",
  },
  {
    name: "a context of another library",
    use: 'class H { @DelayTaskHandler("any") run(_task: DelayTask, context: { transaction: number }): void { void context; } }',
    refusal: "not assignable",
  },
  {
    name: "a payload that a handler changes",
    use: "class H { run(task: DelayTask<{ a: number }>): void { task.payload = { a: 1 }; } }",
    refusal: "read-only",
  },
];
