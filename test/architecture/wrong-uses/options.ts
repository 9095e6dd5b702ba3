import type { WrongUse } from "./wrong-use.js";

/** Options that a call does not take. */
export const WRONG_OPTIONS: readonly WrongUse[] = [
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
    name: "a change that a task does not take",
    use: 'await tasks.reschedule("id", { key: "42" });',
    refusal: "'key' does not exist",
  },
  {
    name: "a default of a definition that does not exist",
    use: 'defineTask<{ orderId: string }>("order.cancel", { attempts: 3 });',
    refusal: "'attempts' does not exist in type 'TaskDefaults'",
  },
  {
    name: "a fixed backoff without its delay",
    use: 'await tasks.schedule("any", {}, { backoff: { kind: "fixed" } });',
    refusal: "Property 'delay' is missing",
  },
  {
    name: "a ladder without its delays",
    use: 'defineTask("order.cancel", { backoff: { kind: "ladder", delay: "1m" } });',
    refusal: "Property 'delays' is missing",
  },
  {
    name: "a kind of backoff that does not exist",
    use: 'defineTask("order.cancel", { backoff: { kind: "linear" } });',
    refusal: "'\"linear\"' is not assignable",
  },
  {
    name: "a duration as the instant of the next try",
    use: 'throw new RetryAtError("5m");',
    refusal: "'string' is not assignable to parameter of type 'Date'",
  },
  {
    name: "the sum of a text",
    use: 'await tasks.schedule(Upload, upload, { key: "1", onConflict: "merge", merge: { owner: "add" } });',
    refusal: "'\"add\"' is not assignable",
  },
  {
    name: "the greatest of lists",
    use: 'await tasks.schedule(Upload, upload, { key: "1", onConflict: "merge", merge: { files: "max" } });',
    refusal: "'\"max\"' is not assignable",
  },
  {
    name: "a number that is appended",
    use: 'await tasks.schedule(Upload, upload, { key: "1", onConflict: "merge", merge: { bytes: "append" } });',
    refusal: "'\"append\"' is not assignable",
  },
  {
    name: "a truth value that is summed",
    use: 'await tasks.schedule(Upload, upload, { key: "1", onConflict: "merge", merge: { isLast: "add" } });',
    refusal: "'\"add\"' is not assignable",
  },
  {
    name: "a merged field that the payload does not have",
    use: 'await tasks.schedule(Upload, upload, { key: "1", onConflict: "merge", merge: { byte: "add" } });',
    refusal: "'byte' does not exist",
  },
  {
    name: "the sum of a text that is given to a type by its name",
    use: 'await tasks.schedule("any", { bytes: "1" }, { key: "1", onConflict: "merge", merge: { bytes: "add" } });',
    refusal: "'\"add\"' is not assignable",
  },
  {
    name: "a merged field that one of many does not have",
    use: 'await tasks.scheduleMany([{ task: Upload, payload: upload, key: "1", onConflict: "merge", merge: { byte: "add" } }]);',
    refusal: "'byte' does not exist",
  },
  {
    name: "a merge of members of a batch",
    use: 'await tasks.batches.create({ tasks: [{ task: Upload, payload: upload, merge: { bytes: "add" } }] });',
    refusal: "'merge' does not exist",
  },
  {
    name: "a delay and an instant of one task",
    use: 'await tasks.schedule("any", {}, { delay: "1m", scheduledAt: new Date() });',
    refusal: "is not assignable",
  },
  {
    name: "a delay and an instant of one of many",
    use: 'await tasks.scheduleMany([{ task: CancelOrder, payload: { orderId: "1" }, delay: "1m", scheduledAt: new Date() }]);',
    refusal: "is not assignable",
  },
  {
    name: "a delay and an instant of a change",
    use: 'await tasks.reschedule("id", { delay: "1m", scheduledAt: new Date() });',
    refusal: "is not assignable",
  },
];
