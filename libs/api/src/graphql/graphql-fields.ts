import type { Group, Operation, Operations } from "@tickwheel/contract/operations";
import { type ApiKey, TickwheelError } from "@tickwheel/core";
import { requireClusterRight } from "../keys/api-key.guard.js";
import { hasRole } from "../keys/api-key.js";
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

/** What a field does: it answers as REST does; a page as REST has it. */
export type Resolver = (call: FieldCall) => Promise<unknown>;

/** One for each row that has a field. */
export type Resolvers<Rows extends Operations> = {
  [Name in keyof Rows as Rows[Name]["graphql"] extends { readonly none: string } ? never : Name]: Resolver;
};

/** The fields of a group of calls: its rows say who may ask, what is asked for, and whether a page is answered. */
export function fieldsOf<Rows extends Operations>({ rows }: Group<Rows>, resolvers: Resolvers<Rows>): RootFields {
  const fields = Object.entries<Resolver>(resolvers).map(([id, resolve]): [string, RootField] => {
    const row = rows[id]!;
    return [fieldNameOf(row)!, fieldOf(row, resolve)];
  });
  return Object.fromEntries(fields);
}

function fieldOf(row: Operation, resolve: Resolver): RootField {
  return async (given, context) => {
    requireRights(row, context.apiKey);
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
  if (role !== "none" && !hasRole(apiKey, role))
    throw new TickwheelError("FORBIDDEN", `This field needs the role ${role}.`);
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
export function inTurn(resolve: Resolver): Resolver {
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

/** The same for an answer whose size shows when it is made. Where the budget is spent, nothing is done. */
export function spending<Answer>(
  make: (call: FieldCall) => Promise<Answer>,
  sizeOf: (answer: Answer) => number,
): Resolver {
  return inTurn(async (call) => {
    call.budget.requireLeft();
    const answer = await make(call);
    call.budget.spend(sizeOf(answer));
    return answer;
  });
}
