import type { Role } from "@tickwheel/core";
import type { ApiApplication } from "../support/api-application.js";
import { ApiClient } from "../support/api-client.js";
import { newTestKey } from "../support/cluster.js";
import type { Need } from "./authorisation.calls.js";

export interface Caller {
  client: ApiClient;
  /** Null: no key. */
  role: Role | null;
  cluster?: boolean;
  isForeign?: boolean;
  authorization?: string;
  /** Has the page's session in place of a key. */
  isSession?: boolean;
  /** Logs in once more. */
  again?: () => Promise<ApiClient>;
  /** And not its CSRF token. */
  isForged?: boolean;
}

const LOG_IN = "POST /v1/session";
export const LOG_OUT = "DELETE /v1/session";

/** Why a call is to be refused before it is known what it does; null: it is not. */
export function refusalOf(caller: Caller, route: string, need: Need): { status: number; code: string } | null {
  if (need !== "public" && caller.role === null) return { status: 401, code: "UNAUTHENTICATED" };
  if (need === "session" && !caller.isSession) return { status: 401, code: "UNAUTHENTICATED" };
  if (caller.isForged && !route.startsWith("GET ") && route !== LOG_IN)
    return { status: 403, code: "CSRF_TOKEN_INVALID" };
  return mayCall(caller, need) ? null : { status: 403, code: "FORBIDDEN" };
}

const RANKS: readonly Need[] = ["public", "viewer", "operator", "admin"];

export function mayCall({ role, cluster = false, isSession = false }: Caller, need: Need): boolean {
  if (need === "session") return isSession;
  if (need === "cluster") return cluster;
  if (need === "admin with cluster") return cluster && role === "admin";
  if (need === "any key") return role !== null;
  if (need === "worker" && isSession) return false;
  if (need === "worker") return role === "worker" || role === "operator" || role === "admin";
  if (role === "worker") return need === "public";
  return RANKS.indexOf(role ?? "public") >= RANKS.indexOf(need);
}

export type NamedCaller = [name: string, caller: Caller];

/** It may claim tasks of the types that the calls are about. */
const WORKER = { role: "worker", types: ["matrix.*", "test.*"] } as const;

/** One caller of each kind. */
export async function allCallers(app: ApiApplication): Promise<NamedCaller[]> {
  const nobody = { client: new ApiClient(app.url, null), role: null };
  const strangers = ["Bearer", "Bearer short", "Basic dXNlcjpwYXNz", `Bearer ${newTestKey()}`, "Bearer a\tb"];
  const expired = await app.clientAs({ role: "admin", cluster: true, expiresAt: Date.now() - 1_000 });
  const madeUp = `tickwheel_session=tws_${"x".repeat(43)}`;
  const callers: NamedCaller[] = [
    ["no key", nobody],
    ...strangers.map((authorization): NamedCaller => [authorization, { ...nobody, authorization }]),
    ["an expired key", { client: expired, role: null }],
    ["a worker", { client: await app.clientAs(WORKER), role: "worker" }],
    ["a made-up session", { client: new ApiClient(app.url, null, { cookie: madeUp }), role: null }],
  ];
  const namespaces = ["default", "foreign"];
  const kinds = (["viewer", "operator", "admin"] as const).flatMap((role) =>
    namespaces.flatMap((namespace) => [false, true].map((cluster) => ({ role, namespace, cluster }))),
  );
  for (const { role, namespace, cluster } of kinds) {
    const client = await app.clientAs({ role, namespace, cluster });
    const name = `${role} of ${namespace}${cluster ? " with the right cluster" : ""}`;
    const rights = { role, cluster, isForeign: namespace === "foreign" };
    callers.push([name, { client, ...rights }]);
    // A session has its key's rights, so of another namespace one role stands for all.
    if (namespace === "foreign" && role !== "admin") continue;
    const session = await client.logIn();
    const again = (): Promise<ApiClient> => client.logIn();
    callers.push([`session of ${name}`, { client: session, ...rights, isSession: true, again }]);
  }
  const forging = (await app.admin.logIn()).without("x-csrf-token");
  const rights = { role: "admin", cluster: true, isSession: true, isForged: true } as const;
  callers.push(["a request that was forged in an administrator's session", { client: forging, ...rights }]);
  return callers;
}
