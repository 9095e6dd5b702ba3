import "reflect-metadata";
import { expect, test } from "@jest/globals";
import type { ExecutionContext } from "@nestjs/common";
import { Reflector } from "@nestjs/core";
import { type ApiKey, type Role, ROLES, type TickwheelError } from "@tickwheel/core";
import { ApiKeyGuard, RequireRole } from "./api-key.guard.js";
import type { Callers } from "./callers.js";

class Calls {
  @RequireRole("viewer")
  viewer(): void {}
  @RequireRole("operator")
  operator(): void {}
  @RequireRole("admin")
  admin(): void {}
  @RequireRole("worker")
  worker(): void {}
  undeclared(): void {}
}

/** Makes a call with a key of this role. @returns `in`, or why it is refused */
async function asked(role: Role, call: keyof Calls): Promise<string> {
  const apiKey = { id: "1", role, cluster: role !== "worker", types: role === "worker" ? ["image.*"] : null };
  const callers = { find: () => Promise.resolve({ apiKey: apiKey as ApiKey, session: null }) };
  const request = { method: "POST", headers: {}, socket: {} };
  const context = {
    switchToHttp: () => ({ getRequest: () => request }),
    getHandler: () => Reflect.get(Calls.prototype, call),
  } as unknown as ExecutionContext;
  const guard = new ApiKeyGuard(callers as unknown as Callers, new Reflector());
  return guard.canActivate(context).then(
    () => "in",
    ({ code, message }: TickwheelError) => `${code}: ${message}`,
  );
}

test("a worker makes calls of workers and no others; operators and administrators make calls of workers, too", async () => {
  const outcomes = await Promise.all(ROLES.map((role) => asked(role, "worker")));
  expect(outcomes).toEqual(["FORBIDDEN: This call needs the role worker.", "in", "in", "in"]);
  for (const needed of ["viewer", "operator", "admin"] as const)
    expect(await asked("worker", needed)).toBe(
      `FORBIDDEN: This call needs the role ${needed}; a worker may claim tasks of its types and nothing else.`,
    );
});

test("a call that names no role is open to nobody", async () => {
  for (const role of ROLES) expect(await asked(role, "undeclared")).toMatch(/^FORBIDDEN/);
});
