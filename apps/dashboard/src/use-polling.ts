import { useEffect, useMemo } from "preact/hooks";
import { Poller, type Timers, type Visibility } from "./poller.js";

const documentVisibility: Visibility = {
  isHidden: () => document.hidden,
  onChange(listener) {
    document.addEventListener("visibilitychange", listener);
    return () => document.removeEventListener("visibilitychange", listener);
  },
};

const windowTimers: Timers = {
  after(delayMs, due) {
    const timer = setTimeout(due, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Polls with the `work` of the first render while the component is mounted. Gives a function that polls now. */
export function usePolling(everyMs: number, work: () => Promise<number | undefined>): () => void {
  const poller = useMemo(() => new Poller({ everyMs, work, visibility: documentVisibility, timers: windowTimers }), []);
  useEffect(() => {
    poller.start();
    return () => poller.stop();
  }, [poller]);
  return () => poller.wake();
}
