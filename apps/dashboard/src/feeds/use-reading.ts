import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Answer } from "../api/api-client.js";
import { api } from "../session/session.js";
import { attention } from "./attention.js";
import { emptyFeed, feedAfter, waitAskedFor, type Feed } from "./feed.js";
import { Poller } from "./poller.js";
import { windowTimers } from "./use-polling.js";

const minuteMs = 60_000;
/** What failed is tried again sooner; what does not exist is not. */
const retryMs = 5_000;

interface Reading<T> {
  readonly path: string | null;
  readonly feed: Feed<T>;
}

/**
 * What `path` answers, read at once and then again and again while the component is mounted; beside the page's stream.
 * Another path begins anew. Null reads nothing.
 *
 * @param everyMs default: a minute
 */
export function useReading<T>(path: string | null, everyMs = minuteMs): Feed<T> {
  const reading = useSignal<Reading<T>>({ path: null, feed: emptyFeed });
  useEffect(() => (path === null ? undefined : follow(path, reading, everyMs)), [path]);
  return reading.value.path === path ? reading.value.feed : emptyFeed;
}

function follow<T>(path: string, reading: { value: Reading<T>; peek(): Reading<T> }, everyMs: number): () => void {
  let isOver = false;
  reading.value = { path, feed: emptyFeed };
  const work = async (): Promise<number | undefined> => {
    const answer = (await api.topic(path)) as Answer<T>;
    if (isOver) return undefined;
    const feed = feedAfter(reading.peek().feed, answer, Date.now());
    reading.value = { path, feed };
    return waitAskedFor(feed) ?? (answer.ok || answer.problem.status === 404 ? undefined : retryMs);
  };
  const poller = new Poller({ everyMs, work, visibility: attention, timers: windowTimers });
  poller.start();
  return () => {
    isOver = true;
    poller.stop();
  };
}
