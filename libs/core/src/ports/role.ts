import { TickwheelError } from "../errors/errors.js";
import { isBeginning } from "../filter/task-filter.js";

/** Rights rise: an operator may do what a viewer may, an admin what an operator may. */
export const RISING_ROLES = ["viewer", "operator", "admin"] as const;
export type RisingRole = (typeof RISING_ROLES)[number];
/**
 * All roles of API keys. A `worker` stands beside the others: it claims tasks of the types that it names, and that is
 * all.
 */
export const ROLES = [...RISING_ROLES, "worker"] as const;
export type Role = (typeof ROLES)[number];

/** The most types that a worker may name. */
export const MAX_WORKER_TYPES = 100;

/** A role, with the types of a worker: names, or beginnings that end with `*`. Null or absent for all other roles. */
export interface RoleRights {
  readonly role: Role;
  readonly types?: readonly string[] | null | undefined;
}

/**
 * Whether a role may make the calls that need the role `needed`. Calls that need `worker` may be made by workers,
 * operators and administrators; {@link mayClaim} says whether for a type.
 */
export function hasRole({ role }: Pick<RoleRights, "role">, needed: Role): boolean {
  if (role === "worker") return needed === "worker";
  const least = needed === "worker" ? "operator" : needed;
  return RISING_ROLES.indexOf(role) >= RISING_ROLES.indexOf(least);
}

/**
 * @param what what is refused, as the beginning of a sentence
 * @throws TickwheelError `FORBIDDEN`: the role is not enough
 */
export function requireRole(rights: Pick<RoleRights, "role">, needed: Role, what = "This call"): void {
  if (hasRole(rights, needed)) return;
  const why = rights.role === "worker" ? "; a worker may claim tasks of its types and nothing else" : "";
  throw new TickwheelError("FORBIDDEN", `${what} needs the role ${needed}${why}.`);
}

/**
 * Whether tasks of a type may be claimed, and their claims ended: by operators and administrators those of any type,
 * by a worker those of the types that it names, by a viewer none. The key says of which namespace.
 *
 * @example mayClaim({ role: "worker", types: ["image.*"] }, "image.resize") // true
 */
export function mayClaim({ role, types }: RoleRights, type: string): boolean {
  if (role !== "worker") return hasRole({ role }, "operator");
  return (types ?? []).some((name) => (isBeginning(name) ? type.startsWith(name.slice(0, -1)) : type === name));
}
