import type { Operation, Operations, QueryOf } from "@tickwheel/contract/operations";
import type { ApiKey, TraceHeaders } from "@tickwheel/core";
import type { AnswerBudget } from "../limits/answer-budget.js";

/** One call of the API, whichever way it came. */
export interface Call<Row extends Operation = Operation> {
  apiKey: ApiKey;
  /** The id of the page's session that it comes with; null: it comes with none. */
  session: string | null;
  /** The id or the name that REST has in the address; `""`: the call has none. */
  at: string;
  /** The second of them; `""`: the call has one at most. */
  within: string;
  /** Read and checked. */
  query: QueryOf<Row>;
  /** Unchecked. */
  body: unknown;
  /** The version that the thing must have; null: any. */
  expected: number | null;
  idempotencyKey: string | undefined;
  /** The request's headers, for its trace. */
  headers: TraceHeaders;
  /** How many seconds it may wait until the task has ended; 0: not at all. */
  waitSeconds: number;
  /** True: the client only wants to know that its change succeeded. */
  isBrief: boolean;
  /** Fires when its client has gone. */
  signal?: AbortSignal | undefined;
  /** Whether its answer is on its way. Absent: nobody asks. */
  isAnswered?: (() => boolean) | undefined;
  /** What the answer may still hold. */
  budget: AnswerBudget;
}

/** The rows that a service implements: all but streams. */
export type Served<Rows extends Operations> = {
  [Name in keyof Rows]: Rows[Name] extends { readonly events: string } ? never : Name;
}[keyof Rows];

/** What a service implements: a method for each row, named as the row is. */
export type Calls<Rows extends Operations> = {
  [Name in Served<Rows>]: (call: Call<Rows[Name]>) => Promise<unknown>;
};

/** What a service's method answers. */
export type Answered<Service, Name extends keyof Service> = Service[Name] extends (call: never) => Promise<infer Answer>
  ? Answer
  : never;

/** The names of a type's fields, and those of its items. */
type Names<Type> =
  | (keyof Type & string)
  | (Type extends { readonly items: readonly (infer Item)[] } ? keyof Item & string : never)
  | (Type extends { readonly results: readonly (infer Item)[] } ? keyof Item & string : never);

/** Whether what is shown has every field that is said, and no other. */
export type IsSaid<Shown, Said> = [Shown] extends [Said]
  ? [Exclude<Names<Shown>, Names<Said>>] extends [never]
    ? true
    : false
  : false;
