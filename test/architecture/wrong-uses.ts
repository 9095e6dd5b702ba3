/** A use of the public types that the compiler must refuse. */
export interface WrongUse {
  /** What is wrong with it. */
  name: string;
  /** One line of an application, which has what `WRONG_USES_PROLOGUE` declares. */
  use: string;
  /** Part of what the compiler says about that line. */
  refusal: string;
}

/** What stands above all wrong uses. */
export const WRONG_USES_PROLOGUE = `
import { DelayTaskApiModule } from "@tickwheel/api";
import { type DelayTask, DelayTaskHandler, DelayTaskModule, type DelayTaskService, defineTask, OnDelayTaskEvent, type PayloadOf, RetryAtError, type TaskDeadEvent, TickwheelError } from "@tickwheel/nestjs";
import type { TickwheelNode } from "@tickwheel/node";
import { ManualClock } from "@tickwheel/testing";
import { CancelOrder, orderSchema, Pay, RefundOrder, ShipOrder } from "./right-uses.js";
declare const tasks: DelayTaskService;
declare const node: TickwheelNode;
`;

/** To add one: a line that reads well below "the compiler refuses …", the use, and what the compiler says. */
export const WRONG_USES: readonly WrongUse[] = [
  {
    name: "a payload whose field has another type",
    use: "await tasks.schedule(CancelOrder, { orderId: 42 });",
    refusal: "Type 'number' is not assignable to type 'string'",
  },
  {
    name: "a payload that lacks a field",
    use: "await tasks.schedule(CancelOrder, {});",
    refusal: "Property 'orderId' is missing",
  },
  {
    name: "a payload with a field that the task does not have",
    use: 'await tasks.schedule(CancelOrder, { orderId: "42", amount: 1 });',
    refusal: "'amount' does not exist in type",
  },
  {
    name: "a payload that the schema's input does not take",
    use: 'await tasks.schedule(ShipOrder, { orderId: "42", at: 7 });',
    refusal: "Type 'number' is not assignable to type 'string'",
  },
  {
    name: "a payload that lacks a property of the schema's class",
    use: "await tasks.schedule(RefundOrder, {});",
    refusal: "Property 'orderId' is missing",
  },
  {
    name: "a handler of a schema's input where it gets the output",
    use: "class H { @DelayTaskHandler(ShipOrder) handle(task: DelayTask<{ at: string }>) {} }",
    refusal: "not assignable",
  },
  {
    name: "an upgrade that makes no input of the schema",
    use: 'defineTask("a", { schema: orderSchema, version: 2, upgrade: () => ({ orderId: 7 }) });',
    refusal: "not assignable",
  },
  {
    name: "a setting of a type that there is not",
    use: "await tasks.types.update(CancelOrder, { maxRuning: 5 });",
    refusal: "'maxRuning' does not exist in type",
  },
  {
    name: "a pause of a type within a transaction",
    use: "await tasks.types.pause(CancelOrder, { manager: {} });",
    refusal: "'manager' does not exist in type",
  },
  {
    name: "the waiting nodes of a change that every node obeys",
    use: 'const done = await tasks.types.pause("any"); if (done.obeyed) done.waitingFor;',
    refusal: "Property 'waitingFor' does not exist",
  },
  {
    name: "no payload",
    use: 'await tasks.schedule("any", undefined);',
    refusal: "'undefined' is not assignable",
  },
  {
    name: "an option of a task that does not exist",
    use: 'await tasks.schedule("any", {}, { dealy: "1m" });',
    refusal: "'dealy' does not exist",
  },
  {
    name: "a reducer that does not exist",
    use: 'await tasks.schedule("any", { bytes: 1 }, { key: "1", onConflict: "merge", merge: { bytes: "sum" } });',
    refusal: "'\"sum\"' is not assignable",
  },
  {
    name: "a conflict policy that does not exist",
    use: 'await tasks.schedule("any", {}, { key: "1", onConflict: "ignore" });',
    refusal: "'\"ignore\"' is not assignable",
  },
  {
    name: "one text in place of a list of tags",
    use: 'await tasks.schedule("any", {}, { tags: "vip" });',
    refusal: "Type 'string' is not assignable",
  },
  {
    name: "an outcome of schedule that is not expected",
    use: '(await tasks.schedule("any", {})).outcome satisfies "created" | "existing" | "refreshed" | "replaced";',
    refusal: "'\"merged\"'",
  },
  {
    name: "one of many tasks with a payload of another type",
    use: "await tasks.scheduleMany([{ task: CancelOrder, payload: { orderId: 42 } }]);",
    refusal: "Type 'number' is not assignable to type 'string'",
  },
  {
    name: "one of many tasks with the payload of another",
    use: 'await tasks.scheduleMany([{ task: CancelOrder, payload: { orderId: "1" } }, { task: Pay, payload: { orderId: "1" } }]);',
    refusal: "'orderId' does not exist in type",
  },
  {
    name: "a mapped list of tasks that lack a field",
    use: "await tasks.scheduleMany([1].map(() => ({ task: CancelOrder, payload: {} })));",
    refusal: "Property 'orderId' is missing",
  },
  {
    name: "an option of one of many tasks that does not exist",
    use: 'await tasks.scheduleMany([{ task: CancelOrder, payload: { orderId: "42" }, dealy: 1 }]);',
    refusal: "'dealy' does not exist",
  },
  {
    name: "a changed payload of another type",
    use: 'await tasks.reschedule<PayloadOf<typeof CancelOrder>>("id", { payload: { orderId: 42 } });',
    refusal: "Type 'number' is not assignable to type 'string'",
  },
  {
    name: "a change that a task does not take",
    use: 'await tasks.reschedule("id", { key: "42" });',
    refusal: "'key' does not exist",
  },
  {
    name: "a number as the tag to find",
    use: "await tasks.find({ tag: 7 });",
    refusal: "Type 'number' is not assignable to type",
  },
  {
    name: "a state to find that does not exist",
    use: 'await tasks.find({ states: ["gone"] });',
    refusal: "'\"gone\"' is not assignable",
  },
  {
    name: "a filter that does not exist",
    use: 'await tasks.find({ tab: "dead" });',
    refusal: "'tab' does not exist in type 'TaskFilterInput'",
  },
  {
    name: "a found task that may not be there",
    use: '(await tasks.get("id")).state;',
    refusal: "Object is possibly 'null'",
  },
  {
    name: "a default of a definition that does not exist",
    use: 'defineTask<{ orderId: string }>("order.cancel", { attempts: 3 });',
    refusal: "'attempts' does not exist in type 'TaskDefaults'",
  },
  {
    name: "a kind of backoff that does not exist",
    use: 'defineTask("order.cancel", { backoff: { kind: "linear" } });',
    refusal: "'\"linear\"' is not assignable",
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
    name: "an option of the module that does not exist",
    use: 'DelayTaskModule.forRoot({ uri: "postgres://localhost/shop" });',
    refusal: "'uri' does not exist in type 'DelayTaskModuleOptions'",
  },
  {
    name: "a place of the heartbeat that does not exist",
    use: 'DelayTaskModule.forRoot({ heartbeat: "thread" });',
    refusal: "'\"thread\"' is not assignable",
  },
  {
    name: "a named time that is a text",
    use: 'DelayTaskModule.forRoot({ heartbeatIntervalMs: "1s" });',
    refusal: "Type 'string' is not assignable to type 'number'",
  },
  {
    name: "a factory that makes other options",
    use: "DelayTaskModule.forRootAsync({ useFactory: () => ({ redis: 6379 }) });",
    refusal: "Type 'number' is not assignable",
  },
  {
    name: "an option of the API that does not exist",
    use: "DelayTaskApiModule.forRoot({ swagger: false });",
    refusal: "'swagger' does not exist in type 'DelayTaskApiOptions'",
  },
  {
    name: "a guard of the API that guards nothing",
    use: "DelayTaskApiModule.forRoot({ guards: [Date] });",
    refusal: "is not assignable to type",
  },
  {
    name: "a duration as the instant of the next try",
    use: 'throw new RetryAtError("5m");',
    refusal: "'string' is not assignable to parameter of type 'Date'",
  },
  {
    name: "an error code that does not exist",
    use: 'new TickwheelError("TASK_MISSING", "there is none");',
    refusal: "'\"TASK_MISSING\"' is not assignable",
  },
  {
    name: "a manual clock that is told a text",
    use: 'await new ManualClock().advance("5s");',
    refusal: "'string' is not assignable to parameter of type 'number'",
  },
  {
    name: "a field that the payload of a found task does not have",
    use: "const [first] = (await tasks.find(CancelOrder)).items; first?.payload.amount;",
    refusal: "'amount' does not exist",
  },
  {
    name: "a type in the filter of a definition",
    use: 'await tasks.find(CancelOrder, { type: "other" });',
    refusal: "'type' does not exist",
  },
  {
    name: "an instant that is taken for a text",
    use: '(await tasks.get("id"))?.dueAt.slice(0, 10);',
    refusal: "'slice' does not exist on type 'Date'",
  },
  {
    name: "one id in place of a list",
    use: 'await tasks.cancelMany("id");',
    refusal: "'string' is not assignable",
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
];
