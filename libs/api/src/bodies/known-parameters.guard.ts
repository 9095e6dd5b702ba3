import { type CanActivate, type ExecutionContext, Injectable } from "@nestjs/common";
import { ROUTE_ARGS_METADATA } from "@nestjs/common/constants.js";
import { RouteParamtypes } from "@nestjs/common/enums/route-paramtypes.enum.js";
import { UNKNOWN_PARAMETER } from "@tickwheel/contract/operations";
import { throwFaults } from "@tickwheel/calls";

/**
 * Refuses parameters of the query where the route's method takes no `@Query()`. A method that takes it reads it by
 * `readQuery`, which names unknown parameters beside the other faults. Runs after the key's guard: whoever may not
 * make the call is told no more than that.
 */
@Injectable()
export class KnownParametersGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { query } = context.switchToHttp().getRequest<{ query?: Readonly<Record<string, unknown>> }>();
    const names = Object.keys(query ?? {});
    if (names.length > 0 && !takesQuery(context))
      throwFaults(names.map((path) => ({ path, message: UNKNOWN_PARAMETER })));
    return true;
  }
}

function takesQuery(context: ExecutionContext): boolean {
  const taken: object = Reflect.getMetadata(ROUTE_ARGS_METADATA, context.getClass(), context.getHandler().name) ?? {};
  return Object.keys(taken).some((name) => name.startsWith(`${RouteParamtypes.QUERY}:`));
}
