import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable, SetMetadata } from "@nestjs/common";
import { Reflector } from "@nestjs/core";
import { type ApiKey, type Role, TickwheelError } from "@tickwheel/core";
import { ApiKeyRing } from "./api-key-ring.js";
import { bearerKey, hasRole } from "./api-key.js";
import { rememberKey } from "./keyed-connections.js";

const ROLE = "tickwheel:role";
const CLUSTER = "tickwheel:cluster";
/** Where the guard leaves the key on the request. */
const KEY: unique symbol = Symbol.for("tickwheel.key");

/** The least role that a route needs. A route without one is closed to everybody. */
export const RequireRole = (role: Role): MethodDecorator => SetMetadata(ROLE, role);
/** The route needs a key with the right `cluster`. */
export const RequireClusterRight = (): MethodDecorator => SetMetadata(CLUSTER, true);

/** A request on its way through {@link ApiKeyGuard}. */
export type KeyedRequest = { [KEY]?: ApiKey };

/** A request of Express, or of Fastify with the raw one inside. */
type GuardedRequest = KeyedRequest & { headers: Record<string, unknown>; raw?: { socket: object }; socket: object };

/** The API key of a request that {@link ApiKeyGuard} let in. */
export function keyOf(request: KeyedRequest): ApiKey {
  return request[KEY]!;
}

/** As {@link keyOf}. */
export const CurrentKey = createParamDecorator((_data: unknown, context: ExecutionContext): ApiKey =>
  keyOf(context.switchToHttp().getRequest<KeyedRequest>()),
);

/** Denies by default: a request needs a known key, and a route that names a role which the key has. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly keys: ApiKeyRing,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<GuardedRequest>();
    const key = await this.keys.find(bearerKey(request.headers["authorization"]));
    if (!key)
      throw new TickwheelError("UNAUTHENTICATED", "This call needs a valid API key: Authorization: Bearer <key>.");
    rememberKey((request.raw ?? request).socket);
    const role = this.reflector.get<Role | undefined>(ROLE, context.getHandler());
    if (!role || !hasRole(key, role))
      throw new TickwheelError("FORBIDDEN", `This call needs the role ${role ?? "admin"}.`);
    if (this.reflector.get<boolean | undefined>(CLUSTER, context.getHandler()) && !key.cluster)
      throw new TickwheelError("FORBIDDEN", "This call needs a key with the right cluster.");
    request[KEY] = key;
    return true;
  }
}
