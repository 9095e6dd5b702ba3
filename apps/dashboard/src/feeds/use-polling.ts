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

/** Polls with the `work` of the first render while the component is mounted. Gives a function that polls now. */
export function usePolling(everyMs: number, work: () => Promise<number | undefined>): () => void {
  const poller = useMemo(() => new Poller({ everyMs, work, visibility: attention, timers: windowTimers }), []);
  useEffect(() => {
    sourceMode.value = { kind: "polling", everyMs };
    poller.start();
    return () => {
      poller.stop();
      sourceMode.value = null;
    };
  }, [poller]);
  return () => poller.wake();
}
