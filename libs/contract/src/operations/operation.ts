import type { ErrorCode, Role } from "@tickwheel/core";
import type * as z from "zod";
import type { Query, ValuesOf } from "../queries/query.js";
import type { Shape, ValueOf } from "../shapes/shape.js";

export type Verb = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
export type GoodStatus = 200 | 201 | 202 | 204;

/** What makes a call's field of GraphQL another one than its row makes of itself. */
export interface GraphqlForm {
  /** What is said of the field. Default: the row's summary. */
  readonly text?: string;
  /** What it answers. Default: the row's answer; of a page a connection. */
  readonly result?: Shape;
  /** Null where there is no such thing, in place of an error. */
  readonly orNull?: true;
  /** The type of its filter, one argument. Default: each parameter is an argument. */
  readonly filter?: string;
  /** How the body is given. Default: as `input`. `spread`: its fields are arguments. A name: its only field is one. */
  readonly body?: "spread" | { readonly list: string };
}

/** A call's field of GraphQL, or why it has none. */
export type GraphqlField =
  | ({ readonly query: string } & GraphqlForm)
  | ({ readonly mutation: string } & GraphqlForm)
  | { readonly none: string };

/** One call of the API. Rows hold no code: a service implements them. */
export interface Operation {
  /** What it does, as the heading of its description; without a full stop. */
  readonly summary: string;
  /**
   * The least role of the key. `worker`: workers, operators and administrators may call; for which types the call
   * itself judges by `mayClaim`. `none`: it sees to its caller itself, as `access` says.
   */
  readonly role: Role | "none";
  /** The key needs the right `cluster` as well. */
  readonly cluster?: true;
  /** @example "PATCH /v1/tasks/:id" */
  readonly rest: `${Verb} /${string}`;
  readonly query?: Query;
  readonly body?: z.ZodObject;
  /**
   * What the body is about: of many tasks it may be longer, and is read item by item; of a result that is kept as text.
   * Default: one task.
   */
  readonly bodyKind?: BodyKind;
  /** What the call takes the version for that the thing must have; the header `If-Match`. */
  readonly ifMatch?: { readonly argument: string; readonly text: string };
  /** The first of several calls with the same idempotency key is done, and the others get its answer. */
  readonly isOnce?: true;
  /** The call may wait until the task has ended; the header `Prefer: wait=10`. */
  readonly mayWait?: true;
  /** A change that succeeded may be answered with 204 and nothing else; the header `Prefer: return=minimal`. */
  readonly mayBeBrief?: true;
  /** The call may wait until there is something to answer, as its body says. Such calls have limits of their own. */
  readonly isPoll?: true;
  /** Good answers by status. Null: without a body. */
  readonly answers: Partial<Record<GoodStatus, Shape | null>>;
  /** Errors beside those of every call, change and body. */
  readonly errors?: readonly ErrorCode[];
  /** May be sent again where nobody knows what became of it. `keyed`: with its idempotency key. */
  readonly repeat: "reads" | "same" | "keyed" | "refused";
  readonly graphql: GraphqlField;
  /** For a call without a role: who may make it, and all of its errors. */
  readonly access?: Access;
  /** A stream of events: what they are. */
  readonly events?: string;
}

export type BodyKind = "task" | "tasks" | "batch" | "result";

/** The access to a call that checks its caller itself. */
export interface Access {
  readonly text: string;
  /** What it takes in place of a key; empty: nothing. */
  readonly security: readonly Readonly<Record<string, readonly []>>[];
  /** All of them. */
  readonly errors: readonly ErrorCode[];
}

export type Operations = Readonly<Record<string, Operation>>;

/** What a call answers. */
export type AnswerOf<Row extends Operation> = ValueOf<Row["answers"][keyof Row["answers"]]>;
/** The values of a call's query; undefined: it has none. */
export type QueryOf<Row extends Operation> = Row extends { readonly query: infer Asked } ? ValuesOf<Asked> : undefined;

/** Calls about one thing. */
export interface Group<Rows extends Operations = Operations> {
  readonly tag: string;
  readonly text: string;
  /** The parameters of addresses. */
  readonly path: Readonly<Record<string, Shape<string>>>;
  readonly rows: Rows;
}

export function group<const Rows extends Operations>(given: Group<Rows>): Group<Rows> {
  return given;
}

/** Whether a call changes nothing. A call that is no read is written to the audit. */
export function isRead({ repeat }: Operation): boolean {
  return repeat === "reads";
}

const optionalBodies = new WeakMap<Operation, boolean>();

/** Whether a call may come without a body: each of its fields may be absent. */
export function isBodyOptional(row: Operation): boolean {
  const known = optionalBodies.get(row);
  if (known !== undefined) return known;
  const isOptional = row.body?.safeParse({}).success ?? false;
  optionalBodies.set(row, isOptional);
  return isOptional;
}

/** The names of the parameters in a call's address; two at most. */
export function placesOf({ rest }: Operation): string[] {
  return [...rest.matchAll(/:(\w+)/g)].map(([, name]) => name!);
}

/** Verb and path of a call. */
export function addressOf({ rest }: Operation): { verb: Verb; path: string } {
  const [verb, path] = rest.split(" ") as [Verb, string];
  return { verb, path };
}
