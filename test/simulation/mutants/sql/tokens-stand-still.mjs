// A bucket's clock only rises: after a clock that was set back there are no tokens until the old time comes again.
import { rewrite, storeModule } from "../planting.mjs";

export const says = "a bucket waits for the time before a clock was set back";

export async function plant() {
  const { takeTokens } = await storeModule("statements/limits/take-tokens.js");
  rewrite(takeTokens, { "refilled_at = clock.now FROM": "refilled_at = greatest(k.refilled_at, clock.now) FROM" });
}
