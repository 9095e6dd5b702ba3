import type { ApiKey, ApiKeyState } from "../api/wire.js";
import { formatCount } from "../time/format.js";

/** How many types of a worker a list shows. */
const typesInList = 5;

/** What a key or the key of a session is called: a first key has no name. */
export function keyName(name: string | null): string {
  return name ?? "first key";
}

/** The state as a mark has it: an icon and a word. One that a rotation has replaced may go on for a while. */
export function markOf({ state, replacedBy }: Pick<ApiKey, "state" | "replacedBy">): { state: string; text: string } {
  if (state === "revoked") return { state: "cancelled", text: "revoked" };
  if (state === "ended") return { state: "expired", text: "ended" };
  return replacedBy === null ? { state: "good", text: "works" } : { state: "warning", text: "works, replaced" };
}

/** Role and rights in one: `operator, cluster, payload`. */
export function rightsText({ role, cluster, rights }: Pick<ApiKey, "role" | "cluster" | "rights">): string {
  return [role, ...(cluster ? ["cluster"] : []), ...rights].join(", ");
}

/** The first types of a worker, and how many more it has; null: it is no worker. */
export function typesWords({ types }: Pick<ApiKey, "types">): string | null {
  if (types === null) return null;
  const more = types.length - typesInList;
  return types.slice(0, typesInList).join(", ") + (more > 0 ? ` and ${formatCount(more)} more` : "");
}

/**
 * Who made something: a key by its name where it is known, a user by theirs.
 *
 * @param names of keys, by their ids
 */
export function actorText(actor: string, names: ReadonlyMap<string, string>): string {
  if (actor.startsWith("user:")) return actor.slice("user:".length);
  if (!actor.startsWith("key:")) return actor;
  const id = actor.slice("key:".length);
  return names.get(id) ?? `key …${id.slice(-8)}`;
}

/** How often it is used here; a dash: not at all within a minute. */
export function rateText({ perSecondHere }: Pick<ApiKey, "perSecondHere">): string {
  if (perSecondHere === 0) return "–";
  return perSecondHere < 0.1 ? "< 0.1" : formatCount(perSecondHere);
}

/** Whether name and end of a key may still be changed. */
export function mayChange({ state }: Pick<ApiKey, "state">): boolean {
  return state === "works";
}

/** Whether a key may still be rotated: it works, and nothing has replaced it. */
export function mayRotate({ state, replacedBy }: Pick<ApiKey, "state" | "replacedBy">): boolean {
  return state === "works" && replacedBy === null;
}

/** Which keys are shown. */
export const whichKeys: readonly { readonly value: ApiKeyState | "all"; readonly text: string }[] = [
  { value: "works", text: "Work" },
  { value: "ended", text: "Ended" },
  { value: "revoked", text: "Revoked" },
  { value: "all", text: "All" },
];
