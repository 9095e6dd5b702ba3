import type { WrongUse } from "./wrong-use.js";

/** What is looked for, and what is found. */
export const WRONG_LOOKUPS: readonly WrongUse[] = [
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
];
