import type { Batch } from "../api/wire.js";
import { formatCount } from "../time/format.js";

export type BatchAction = "seal" | "retry" | "cancel";

/** What a button says. */
export function actionName(action: BatchAction, { counts }: Pick<Batch, "counts">): string {
  if (action === "retry") return `Retry the ${formatCount(counts.dead)}…`;
  return action === "seal" ? "Seal" : "Cancel…";
}

/** As the palette lists them. */
export const commandNames: Readonly<Record<BatchAction, string>> = {
  seal: "Seal batch",
  retry: "Retry the batch's dead members…",
  cancel: "Cancel batch…",
};
export const actionIcons: Readonly<Record<BatchAction, string>> = { seal: "lock", retry: "undo", cancel: "x" };

/** What can be asked of a batch as it stands; the API answers 409 to the rest. */
export function actionsFor({ state, counts }: Pick<Batch, "state" | "counts">): readonly BatchAction[] {
  const retries: readonly BatchAction[] = counts.dead > 0 && state !== "cancelled" ? ["retry"] : [];
  if (state === "filling") return ["seal", ...retries, "cancel"];
  return state === "open" ? [...retries, "cancel"] : retries;
}

/** From so many tasks on that an action reaches, their number is typed before it. */
const typedFrom = 100;

/** What is to be typed before a cancel; null: nothing. */
export function typedBefore({ counts: { live } }: Pick<Batch, "counts">): string | null {
  return live < typedFrom ? null : String(live);
}
