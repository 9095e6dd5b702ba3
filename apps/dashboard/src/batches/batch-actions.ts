import type { Batch } from "../api/wire.js";

export type BatchAction = "seal" | "cancel";

export const actionNames: Readonly<Record<BatchAction, string>> = { seal: "Seal", cancel: "Cancel…" };
/** As the palette lists them. */
export const commandNames: Readonly<Record<BatchAction, string>> = { seal: "Seal batch", cancel: "Cancel batch…" };
export const actionIcons: Readonly<Record<BatchAction, string>> = { seal: "lock", cancel: "x" };

/** What can be asked of a batch as it stands; the API answers 409 to the rest. */
export function actionsFor({ state }: Pick<Batch, "state">): readonly BatchAction[] {
  if (state === "filling") return ["seal", "cancel"];
  return state === "open" ? ["cancel"] : [];
}

/** From so many tasks on that an action reaches, their number is typed before it. */
const typedFrom = 100;

/** What is to be typed before a cancel; null: nothing. */
export function typedBefore({ counts: { live } }: Pick<Batch, "counts">): string | null {
  return live < typedFrom ? null : String(live);
}
