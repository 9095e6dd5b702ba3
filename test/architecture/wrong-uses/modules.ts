import type { WrongUse } from "./wrong-use.js";

/** Options of modules, and of tests. */
export const WRONG_MODULES: readonly WrongUse[] = [
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
    name: "a factory that takes another class than is injected",
    use: "DelayTaskModule.forRootAsync({ inject: [Settings], useFactory: (cart: Cart) => ({ url: String(cart.total()) }) });",
    refusal: "not assignable",
  },
  {
    name: "a factory that reads what an injected class does not have",
    use: "DelayTaskModule.forRootAsync({ inject: [Settings], useFactory: (settings) => ({ url: settings.uri }) });",
    refusal: "'uri' does not exist",
  },
  {
    name: "a factory that takes more than is injected",
    use: "DelayTaskModule.forRootAsync({ inject: [Settings], useFactory: (settings: Settings, cart: Cart) => ({ url: settings.url + cart.total() }) });",
    refusal: "not assignable",
  },
  {
    name: "a factory that takes what is injected in another order",
    use: "DelayTaskModule.forRootAsync({ inject: [Settings, Cart], useFactory: (cart: Cart, settings: Settings) => ({ url: settings.url + cart.total() }) });",
    refusal: "not assignable",
  },
  {
    name: "a factory that reads at once what may not be there",
    use: "DelayTaskModule.forRootAsync({ inject: [{ token: Settings, optional: true }], useFactory: (settings) => ({ url: settings.url }) });",
    refusal: "possibly 'undefined'",
  },
  {
    name: "a number as what is injected",
    use: "DelayTaskModule.forRootAsync({ inject: [7], useFactory: () => ({}) });",
    refusal: "'number' is not assignable",
  },
  {
    name: "an option of a test that does not exist",
    use: 'DelayTaskTestingModule.forRoot({ uri: "postgres://" });',
    refusal: "'uri' does not exist",
  },
  {
    name: "an expectation of a field that a task's payload does not have",
    use: "await testing.expectTask(CancelOrder).withPayload({ amount: 1 });",
    refusal: "'amount' does not exist",
  },
  {
    name: "a task for a handler alone with another's payload",
    use: "taskOf(CancelOrder, { orderId: 7 });",
    refusal: "Type 'number' is not assignable to type 'string'",
  },
];
