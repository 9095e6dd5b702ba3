import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { SchedulePage, Task } from "../api/wire.js";
import { useReading } from "../feeds/use-reading.js";
import { fragmentOf } from "../place/route.js";
import { clockText } from "../time/zone.js";
import { CopyButton, Middle } from "../ui/middle.js";
import { occurrenceOf, taskName } from "./task-name.js";

/** The names of the schedules that are known, by their ids. */
const scheduleNames = signal<ReadonlyMap<string, string>>(new Map());

/** Reads the schedules' names once a schedule's task is among `tasks`. */
export function useScheduleNames(tasks: readonly Pick<Task, "key">[]): void {
  const isNeeded = tasks.some(({ key }) => occurrenceOf(key) !== null);
  const { value } = useReading<SchedulePage>(isNeeded ? "/schedules?limit=100" : null);
  useEffect(() => {
    if (value) scheduleNames.value = new Map(value.items.map(({ id, name }) => [id, name]));
  }, [value]);
}

interface NamedTaskProps {
  task: Parameters<typeof taskName>[0];
  /** What a task without a key is called by; default: its id. */
  otherwise?: "id" | "payload";
}

/** What a task is called. */
export function NamedTask({ task, otherwise }: NamedTaskProps) {
  const sources = { scheduleName: (id: string) => scheduleNames.value.get(id), instantText: clockText };
  const { text, whole, isCode } = taskName(task, sources, otherwise);
  return isCode ? <Middle text={text} /> : <span title={whole}>{text}</span>;
}

/** A key or an id is said whole: its two parts would be read as two words. */
function spokenName({ task: { id, key }, otherwise }: NamedTaskProps): string | undefined {
  if (key === null) return otherwise === "payload" ? undefined : id;
  return occurrenceOf(key) === null ? key : undefined;
}

/** A task of a list: its name leads to it, and its key or its id can be copied. */
export function TaskLink({ task, otherwise }: NamedTaskProps) {
  return (
    <span class="named">
      <a class="row" href={fragmentOf({ page: "task", id: task.id })} aria-label={spokenName({ task, otherwise })}>
        <NamedTask task={task} otherwise={otherwise} />
      </a>
      <CopyButton text={task.key ?? task.id} what={task.key === null ? "id" : "key"} />
    </span>
  );
}
