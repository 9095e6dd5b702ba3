import { applyDecorators, Header, HttpCode, RequestMapping, RequestMethod, SetMetadata } from "@nestjs/common";
import { addressOf, type Operation } from "@tickwheel/contract/operations";
import { LastingIfAsked, Poll } from "../bodies/load-limit.guard.js";
import { TAKES_QUERY } from "../bodies/known-parameters.guard.js";
import { RequireClusterRight, RequireRole } from "../keys/api-key.guard.js";

/** Those that hold tasks are written by us, and a framework takes a string for plain text. */
const JSON_TYPE = Header("content-type", "application/json; charset=utf-8");
/** Answers hold tasks, sessions, and what is so now. */
const NOT_CACHED = Header("cache-control", "no-store");

/**
 * Makes a controller's method the route of a call, with the right that it needs. A call without a role sees to its
 * caller itself. A method with several good statuses chooses one; a stream sees to its headers.
 */
export function OperationRoute(row: Operation): MethodDecorator {
  const { verb, path } = addressOf(row);
  const statuses = Object.keys(row.answers);
  return applyDecorators(
    RequestMapping({ method: RequestMethod[verb], path: path.slice(1) }),
    SetMetadata(TAKES_QUERY, row.query !== undefined),
    ...(row.mayWait ? [LastingIfAsked()] : []),
    ...(row.isPoll ? [Poll()] : []),
    ...(statuses.length === 1 ? [HttpCode(Number(statuses[0]))] : []),
    ...(statuses.length === 0 ? [] : [NOT_CACHED]),
    ...(row.role === "none" ? [] : rightsOf(row, row.role)),
    ...(row.role === "none" || statuses.length === 0 ? [] : [JSON_TYPE]),
  );
}

function rightsOf({ cluster }: Operation, role: Exclude<Operation["role"], "none">): MethodDecorator[] {
  return [RequireRole(role), ...(cluster ? [RequireClusterRight()] : [])];
}
