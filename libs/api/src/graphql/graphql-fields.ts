import type { Group, Operation, Operations } from "@tickwheel/contract/operations";
import { type ApiKey, requireRole, TickwheelError } from "@tickwheel/core";
import type { Answered, Calls, Served } from "../calls/call.js";
import { requireClusterRight, requireNoSession } from "../keys/api-key.guard.js";
import {
  callOf,
  type FieldArguments,
  type FieldCall,
  fieldNameOf,
  type GraphqlContext,
  isPage,
} from "./graphql-call.js";

/** A field of a root as graphql-js calls it. */
export type RootField = (given: FieldArguments, context: GraphqlContext) => Promise<unknown>;
/** All fields of the roots, by name. */
export type RootFields = Readonly<Record<string, RootField>>;

/** What makes a field's answer: as REST does; a page as REST has it. */
export type Resolver<Answer = unknown> = (call: FieldCall) => Promise<Answer>;

/** How a field answers where it is not simply what the service answers. */
export type FieldForm<Answer> = (resolve: Resolver<Answer>) => Resolver;

export type FieldForms<Rows extends Operations, Service extends Calls<Rows>> = {
  readonly [Name in Served<Rows>]?: FieldForm<Answered<Service, Name>>;
};

/**
 * A field for each row that has one, which answers what the service's method of the row's name does. Rows say who may
 * ask, what is asked for, and whether a page is answered.
 */
export function fieldsOf<Rows extends Operations, Service extends Calls<Rows>>(
  { rows }: Group<Rows>,
  service: Service,
  forms: FieldForms<Rows, Service>,
): RootFields {
  const fields: Record<string, RootField> = {};
  // That its methods take the calls of their rows says its type; here a row is any.
  const methods = service as unknown as Readonly<Record<string, Resolver>>;
  for (const [id, row] of Object.entries<Operation>(rows)) {
    const name = fieldNameOf(row);
    if (name === null) continue;
    const resolve: Resolver = (call) => methods[id]!(call);
    const form = (forms as Readonly<Record<string, FieldForm<unknown>>>)[id];
    fields[name] = fieldOf(row, form ? form(resolve) : resolve);
  }
  return fields;
}

function fieldOf(row: Operation, resolve: Resolver): RootField {
  return async (given, context) => {
    requireRights(row, context.apiKey);
    if (row.role === "worker") requireNoSession(context.session);
    const call = callOf(row, given, context);
    const answer = await resolve(call).catch((error: unknown) => {
      if (isAbsence(row, error)) return null;
      throw error;
    });
    return isPage(row) ? connectionOf(answer as ShownPage) : answer;
  };
}

/** @throws TickwheelError `FORBIDDEN` */
function requireRights({ role, cluster }: Operation, apiKey: ApiKey): void {
  if (role !== "none") requireRole(apiKey, role, "This field");
  if (cluster) requireClusterRight(apiKey);
}

/** Whether there is no such thing, which a field may answer by null. */
function isAbsence({ graphql, errors = [] }: Operation, error: unknown): boolean {
  return "orNull" in graphql && error instanceof TickwheelError && errors.includes(error.code);
}

/** A page as REST shows it. */
interface ShownPage {
  items: readonly unknown[];
  nextCursor: string | null;
  incomplete?: boolean;
  /** There is one, also where no cursor tells its beginning. */
  hasNext?: true;
}

/** A page as GraphQL has it, with what REST tells beside the items. */
function connectionOf({ items, nextCursor, incomplete, hasNext, ...beside }: ShownPage): object {
  const pageInfo = { hasNextPage: hasNext ?? nextCursor !== null, endCursor: nextCursor };
  return { ...beside, nodes: items, pageInfo, incomplete: incomplete === true };
}

/** Makes an answer when the fields before it have made theirs, so that what they left of the budget is known. */
export function inTurn<Answer>(resolve: Resolver<Answer>): Resolver<Answer> {
  return (call) => call.budget.inTurn(() => resolve(call));
}

/**
 * The same for a page that spends of the budget. Where that is spent, a page without items that goes on where it was
 * to begin.
 */
export function pageInTurn(resolve: Resolver): Resolver {
  return inTurn(async (call) => {
    if (call.budget.left > 0) return resolve(call);
    return { items: [], nextCursor: call.after, incomplete: true, hasNext: true } satisfies ShownPage;
  });
}

/**
 * The same for an answer whose size shows when it is made. Where the budget is spent, nothing is done.
 *
 * @param sizeOf what it takes of the budget; default: it has taken it itself
 */
export function spending<Answer>(sizeOf: (answer: Answer) => number = () => 0): FieldForm<Answer> {
  return (resolve) =>
    inTurn(async (call) => {
      call.budget.requireLeft();
      const answer = await resolve(call);
      call.budget.spend(sizeOf(answer));
      return answer;
    });
}
