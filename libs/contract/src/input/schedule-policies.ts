import { words } from "../shapes/parts.js";

/** The words of a schedule's policies. More may come, so GraphQL has them as text. */
export const POLICIES = {
  misfire: words(["last", "skip", "all"]),
  overlap: words(["skip", "buffer", "allow", "cancel-other"]),
  onResume: words(["skip", "last"]),
  gap: words(["shift", "skip"]),
  fold: words(["first", "last", "both"]),
};
