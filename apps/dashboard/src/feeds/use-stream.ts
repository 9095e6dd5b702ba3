import { effect } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { apiBaseOf } from "../api/address.js";
import { api, endSession, heardOf } from "../session/session.js";
import { attention } from "./attention.js";
import { sourceMode } from "./live-mode.js";
import { Stream } from "./stream.js";
import { topicPaths, type Topic } from "./topics.js";
import { windowTimers } from "./use-polling.js";

/** The topics' newest answers while the component is mounted. One per page. */
export function useStream<T extends Topic>(...topics: readonly T[]): Stream<T> {
  const stream = useMemo(() => streamOf(topics), []);
  useEffect(() => {
    stream.start();
    const unlink = effect(() => void (sourceMode.value = stream.mode.value));
    return () => {
      unlink();
      stream.stop();
      sourceMode.value = null;
    };
  }, [stream]);
  return stream;
}

function streamOf<T extends Topic>(topics: readonly T[]): Stream<T> {
  const base = apiBaseOf(location.href);
  return new Stream<T>({
    topics,
    open: (wanted) => new EventSource(`${base}/stream?topics=${wanted.join(",")}`),
    ask: (topic) => api.topic(topicPaths[topic]),
    onAnswer: (topic, problem) => heardOf(topicPaths[topic], problem),
    onEnd: endSession,
    visibility: attention,
    timers: windowTimers,
    now: Date.now,
  });
}
