import { signal } from "@preact/signals";
import type { Cluster } from "../api/wire.js";
import { api, session } from "../session/session.js";
import { attention } from "./attention.js";
import { emptyFeed, feedAfter, waitAskedFor, type Feed } from "./feed.js";
import { Poller } from "./poller.js";
import { windowTimers } from "./use-polling.js";

const everyMs = 10_000;

/** What the frame shows of the cluster; a page that reads the cluster itself puts its newest answer here. */
export const health = signal<Feed<Cluster>>(emptyFeed);

/** Keeps `health` at most 10 s old. The returned function ends it. */
export function followHealth(): () => void {
  const work = async (): Promise<number | undefined> => {
    const { readAt } = health.peek();
    const isFresh = readAt !== null && Date.now() - readAt < everyMs / 2;
    if (!session.peek()?.cluster || isFresh) return undefined;
    health.value = feedAfter(health.peek(), await api.cluster(), Date.now());
    return waitAskedFor(health.peek());
  };
  const poller = new Poller({ everyMs, work, visibility: attention, timers: windowTimers });
  poller.start();
  return () => poller.stop();
}
