import { setTimeout as sleep } from "node:timers/promises";

/** Asks `probe` every `everyMs` until it gives a value, or gives undefined once `limitMs` have passed. */
export async function poll<T>(
  probe: () => T | undefined | Promise<T | undefined>,
  { limitMs, everyMs = 20 }: { limitMs: number; everyMs?: number },
): Promise<T | undefined> {
  const deadlineMonoMs = performance.now() + limitMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined || performance.now() >= deadlineMonoMs) return value;
    await sleep(everyMs);
  }
}
