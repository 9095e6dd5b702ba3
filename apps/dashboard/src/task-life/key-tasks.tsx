import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { Task, TaskPage } from "../api/wire.js";
import { fragmentOf } from "../place/route.js";
import { Instant } from "../time/instant.js";
import { Panel } from "../ui/panel.js";
import { StateMark } from "../ui/state-mark.js";
import { taskMark } from "./task-mark.js";

/** How many of the key's other tasks are shown; the list of tasks shows all. */
const most = 5;

/** The other tasks that the key has had, live and finished. Read once: they change seldom while one looks. */
export function KeyTasks({ api, task: { id, type, key } }: { api: TickwheelApi; task: Task }) {
  const page = useSignal<TaskPage | null>(null);
  useEffect(() => {
    page.value = null;
    if (key === null) return;
    void api.tasks({ type, key }).then((answer) => {
      if (answer.ok) page.value = answer.value;
    });
  }, [type, key, id]);
  const others = (page.value?.items ?? []).filter((other) => other.id !== id);
  if (key === null || others.length === 0) return null;
  const isMore = others.length > most || page.value?.nextCursor !== null;
  return (
    <Panel title="Other tasks of its key" note={isMore ? `the newest ${Math.min(most, others.length)}` : null}>
      <ul class="body key-tasks">
        {others.slice(0, most).map((other) => (
          <li key={other.id}>
            <a href={fragmentOf({ page: "task", id: other.id })}>
              <StateMark {...taskMark(other)} />
            </a>{" "}
            <span class="small">
              <Instant at={other.finishedAt ?? other.dueAt} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
