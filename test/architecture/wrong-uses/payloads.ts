import type { WrongUse } from "./wrong-use.js";

/** Payloads that a task does not take, or that JSON does not keep. */
export const WRONG_PAYLOADS: readonly WrongUse[] = [
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
    name: "an upgrade that makes no input of the schema",
    use: 'defineTask("a", { schema: orderSchema, version: 2, upgrade: () => ({ orderId: 7 }) });',
    refusal: "not assignable",
  },
  {
    name: "no payload",
    use: 'await tasks.schedule("any", undefined);',
    refusal: "'undefined' is not assignable",
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
    name: "a changed payload of another type",
    use: 'await tasks.reschedule<PayloadOf<typeof CancelOrder>>("id", { payload: { orderId: 42 } });',
    refusal: "Type 'number' is not assignable to type 'string'",
  },
  {
    name: "a Date in a payload",
    use: 'defineTask<{ at: Date }>("a");',
    refusal: "JSON keeps no Date: give its toISOString()",
  },
  {
    name: "a bigint in a payload",
    use: 'defineTask<{ ids: bigint[] }>("a");',
    refusal: "JSON keeps no bigint",
  },
  {
    name: "a Map in a payload",
    use: 'defineTask<{ by: Map<string, number> }>("a");',
    refusal: "JSON keeps no Map and no Set",
  },
  {
    name: "a Set in a payload",
    use: 'defineTask<{ ids: ReadonlySet<string> }>("a");',
    refusal: "JSON keeps no Map and no Set",
  },
  {
    name: "a function in a payload",
    use: 'defineTask<{ done: () => void }>("a");',
    refusal: "JSON keeps no function",
  },
  {
    name: "an optional function in a payload",
    use: 'defineTask<{ done?: () => void }>("a");',
    refusal: "JSON keeps no function",
  },
  {
    name: "a symbol in a payload",
    use: 'defineTask<{ kind: symbol }>("a");',
    refusal: "JSON keeps no symbol",
  },
  {
    name: "undefined in a list of a payload",
    use: 'defineTask<{ ids: (string | undefined)[] }>("a");',
    refusal: "Type 'undefined' is not assignable",
  },
  {
    name: "bytes in a payload",
    use: 'defineTask<{ file: Uint8Array }>("a");',
    refusal: "JSON keeps no bytes",
  },
  {
    name: "an error in a payload",
    use: 'defineTask<{ cause: Error }>("a");',
    refusal: "JSON keeps no Error",
  },
  {
    name: "a promise in a payload",
    use: 'defineTask<{ order: Promise<string> }>("a");',
    refusal: "JSON keeps no promise",
  },
  {
    name: "an instance with methods in a payload",
    use: 'defineTask<{ cart: Cart }>("a");',
    refusal: "JSON keeps no functions and no methods",
  },
  {
    name: "an instance with methods as a payload",
    use: 'defineTask<Cart>("a");',
    refusal: "JSON keeps no function",
  },
  {
    name: "a Date deep in a payload",
    use: 'defineTask<{ lines: { sent?: { at: Date | null } }[] }>("a");',
    refusal: "JSON keeps no Date",
  },
  {
    name: "a schema that takes a Date",
    use: 'defineTask("a", { schema: dateSchema });',
    refusal: "takes what JSON does not keep",
  },
  {
    name: "a Date that is given to a type by its name",
    use: 'await tasks.schedule("any", { at: new Date() });',
    refusal: "JSON keeps no Date",
  },
  {
    name: "a bigint that is given to a type by its name",
    use: 'await tasks.schedule("any", { id: 1n });',
    refusal: "JSON keeps no bigint",
  },
  {
    name: "undefined in a list that is given to a type by its name",
    use: 'await tasks.schedule("any", { ids: [undefined] });',
    refusal: "JSON keeps no undefined here: give null",
  },
  {
    name: "a function that is given to a type by its name",
    use: 'await tasks.schedule("any", () => 1);',
    refusal: "JSON keeps no function",
  },
  {
    name: "a task that is neither a name nor a definition",
    use: "await tasks.schedule(7, {});",
    refusal: "'number' is not assignable",
  },
];
