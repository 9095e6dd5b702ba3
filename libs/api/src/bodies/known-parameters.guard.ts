import { type CanActivate, type ExecutionContext, Injectable } from "@nestjs/common";
import { Reflector } from "@nestjs/core";
import { UNKNOWN_PARAMETER } from "@tickwheel/contract/operations";
import { throwFaults } from "@tickwheel/calls";

/** Where a route keeps whether its call has a query. */
export const TAKES_QUERY = "tickwheel:takes-query";

/**
 * Refuses parameters of the query where the call takes none. One that takes some is read by `readQuery`, which names
 * unknown parameters beside the other faults. Runs after the key's guard: a caller who may not make the call is told no
 * more than that.
 */
@Injectable()
export class KnownParametersGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const { query } = context.switchToHttp().getRequest<{ query?: Readonly<Record<string, unknown>> }>();
    const names = Object.keys(query ?? {});
    if (names.length > 0 && !this.reflector.get<boolean | undefined>(TAKES_QUERY, context.getHandler()))
      throwFaults(names.map((path) => ({ path, message: UNKNOWN_PARAMETER })));
    return true;
  }
}
