import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { HistoryRange } from "../api/wire.js";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import { attention } from "../feeds/attention.js";
import { emptyFeed, feedAfter, waitAskedFor, type Feed } from "../feeds/feed.js";
import { Poller } from "../feeds/poller.js";
import { windowTimers } from "../feeds/use-polling.js";
import { eventsAfter, mostEvents, rangeMs, readFrom, type KnownEvents } from "./known-events.js";

const everyMs = 1_000;

interface Reading {
  readonly range: HistoryRange;
  readonly feed: Feed<KnownEvents>;
}

/** The events of the range: all at the first look, then only what is new; beside the page's stream. */
export function useEvents(api: TickwheelApi, range: HistoryRange): Feed<KnownEvents> {
  const reading = useSignal<Reading>({ range, feed: emptyFeed });
  useEffect(() => {
    let isOver = false;
    reading.value = { range, feed: emptyFeed };
    const work = async (): Promise<number | undefined> => {
      const known = reading.peek().feed;
      const rangeFrom = Date.now() - rangeMs[range];
      const answer = await api.nodes.events(readFrom(known.value, rangeFrom), mostEvents);
      if (isOver) return undefined;
      const merged = answer.ok ? { ...answer, value: eventsAfter(known.value, answer.value, rangeFrom) } : answer;
      const feed = feedAfter(known, merged, Date.now());
      reading.value = { range, feed };
      return waitAskedFor(feed);
    };
    const poller = new Poller({ everyMs, work, visibility: attention, timers: windowTimers });
    poller.start();
    return () => {
      isOver = true;
      poller.stop();
    };
  }, [range]);
  return reading.value.range === range ? reading.value.feed : emptyFeed;
}
