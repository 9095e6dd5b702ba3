import { useEffect, useMemo } from "preact/hooks";
import { attention } from "./attention.js";
import { sourceMode } from "./live-mode.js";
import { Poller, type Timers } from "./poller.js";

export const windowTimers: Timers = {
  after(delayMs, due) {
    const timer = setTimeout(due, delayMs);
    return () => clearTimeout(timer);
  },
};

/**
 * Polls with the `work` of the first render while the component is mounted. Gives a function that polls now.
 *
 * @param isBeside the page has another source, which tells the header how it is kept up to date
 */
export function usePolling(
  everyMs: number,
  work: () => Promise<number | undefined>,
  { isBeside = false }: { isBeside?: boolean } = {},
): () => void {
  const poller = useMemo(() => new Poller({ everyMs, work, visibility: attention, timers: windowTimers }), []);
  useEffect(() => {
    if (!isBeside) sourceMode.value = { kind: "polling", everyMs };
    poller.start();
    return () => {
      poller.stop();
      if (!isBeside) sourceMode.value = null;
    };
  }, [poller]);
  return () => poller.wake();
}
