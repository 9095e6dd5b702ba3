import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { formatLine } from "@tickwheel/core/filter";
import type { BatchPage, Cluster, SchedulePage, TaskPage, TypePage } from "../api/wire.js";
import { api, session } from "../session/session.js";
import { nothingFound, type Found } from "./palette-items.js";

/** Somebody who types on is not looked for. */
const pauseMs = 250;
/** A beginning of fewer characters fits too much. */
const leastTyped = 2;
/** Keys are looked for by their beginning in so many types, those in need first: an index answers for one type. */
const mostTypes = 8;
const mostOfEach = 3;

/** What there is whose name begins with what is typed, or holds it. */
export function useFound(typed: string): Found {
  const text = typed.trim();
  const found = useSignal<{ readonly text: string; readonly value: Found }>({ text: "", value: nothingFound });
  useEffect(() => {
    if (text.length < leastTyped) return undefined;
    let isOver = false;
    const timer = setTimeout(() => {
      void look(text).then((value) => {
        if (!isOver) found.value = { text, value };
      });
    }, pauseMs);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [text]);
  return found.value.text === text ? found.value.value : nothingFound;
}

async function look(text: string): Promise<Found> {
  const search = new URLSearchParams({ namePrefix: text, limit: String(mostOfEach) });
  const [types, schedules, cluster, batches] = await Promise.all([
    read<TypePage>("/types"),
    /\s/.test(text) ? null : read<SchedulePage>(`/schedules?${search}`),
    session.peek()?.cluster ? read<Cluster>("/cluster") : null,
    /\s/.test(text) ? null : read<BatchPage>(`/batches?${search}`),
  ]);
  const names = types?.items.map(({ type }) => type) ?? [];
  const tasks = await Promise.all(names.slice(0, mostTypes).map((type) => tasksOf(type, text)));
  return {
    tasks: tasks.flat(),
    types: names,
    schedules: schedules?.items.map(({ name }) => name) ?? [],
    nodes: cluster?.nodes.filter(({ state }) => state !== "dead") ?? [],
    batches: batches?.items ?? [],
  };
}

async function tasksOf(type: string, keyPrefix: string): Promise<TaskPage["items"]> {
  const query = new URLSearchParams({ q: formatLine({ type, keyPrefix }), limit: String(mostOfEach) });
  return (await read<TaskPage>(`/tasks?${query}`))?.items ?? [];
}

/** Null: it could not be read, or not by this key. */
async function read<T>(path: string): Promise<T | null> {
  const answer = await api.topic(path);
  return answer.ok ? (answer.value as T) : null;
}
