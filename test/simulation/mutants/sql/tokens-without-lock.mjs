// Tokens are read without a lock, then written: those that somebody else takes meanwhile are given twice.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "tokens are read without the bucket's lock";

export async function plant() {
  const { takeTokens } = await storeModule("statements/limits/take-tokens.js");
  rewrite(takeTokens, { "FOR UPDATE": "" });
}
