import type { Because, Task } from "../api/wire.js";
import { actorName } from "../keys/actor-name.js";
import { fragmentOf } from "../place/route.js";
import { nowFor } from "../time/ticking.js";
import { instantText } from "../time/zone.js";
import { Icon } from "../ui/icon.js";
import { becauseWords } from "./because-words.js";

/** The one sentence: why the task stands as it does. It is tinted only if the task is not as it should be. */
export function BecausePanel({ task }: { task: Task }) {
  const now = nowFor(Date.parse(task.dueAt ?? task.scheduledAt));
  const words = becauseWords({ task, now, actorName, instantText: (instant) => instantText(instant).slice(0, 19) });
  if (words === null) return null;
  const { tone, icon, lead, more } = words;
  return (
    <section class={tone === "plain" ? "because" : `because is-${tone}`} aria-label="Why">
      <Icon name={icon} />
      <p>{lead}</p>
      {more !== null && <p class="small muted">{more}</p>}
      <Links task={task} />
    </section>
  );
}

/** Whether its type's row says more of it. */
function isOfType({ code, breaker }: Because): boolean {
  return code === "NO_NODE" || code === "NO_PLACE" || breaker !== null;
}

function Links({ task: { because, type } }: { task: Task }) {
  if (!because || !isOfType(because)) return null;
  return (
    <div class="do">
      <a class="btn tiny" href={fragmentOf({ page: "types", type })}>
        The type
      </a>
    </div>
  );
}
