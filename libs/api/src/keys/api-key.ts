import type { ApiKey, NamespaceReader } from "@tickwheel/core";
import { type Caller, hashApiKey, newApiKey } from "@tickwheel/calls";

export { hashApiKey, newApiKey };

/** The shortest key that is taken, in characters. */
export const MIN_KEY_LENGTH = 32;

/** The key of an `Authorization: Bearer …` header, or null. */
export function bearerKey(header: unknown): string | null {
  const match = typeof header === "string" ? /^Bearer ([\x21-\x7e]{1,512})$/i.exec(header) : null;
  return match ? match[1]! : null;
}

/** How the id of a user of the application's own log-in begins. Ids of keys are UUIDs, so none begins so. */
export const USER = "user:";

/** Whether it is no key, but a user of the application's own log-in. */
export function isUser({ id }: Pick<ApiKey, "id">): boolean {
  return id.startsWith(USER);
}

/** Who a key acts as, in `createdBy` and journals. */
export function actorOf(apiKey: Pick<ApiKey, "id">): string {
  return isUser(apiKey) ? apiKey.id : `key:${apiKey.id}`;
}

const callers = new WeakMap<ApiKey, Caller>();

/** Who calls with this key; made once for each. */
export function callerOf(apiKey: ApiKey): Caller {
  const known = callers.get(apiKey);
  if (known) return known;
  const { namespace, id: reader, role: rights, cluster, types } = apiKey;
  const caller: Caller = { namespace, actor: actorOf(apiKey), rights, types, reader, cluster };
  callers.set(apiKey, caller);
  return caller;
}

/** Whose turns the reads of a key take; its sessions' are the key's. */
export function readerOf({ namespace, id }: Pick<ApiKey, "namespace" | "id">): Required<NamespaceReader> {
  return { namespace, caller: id };
}
