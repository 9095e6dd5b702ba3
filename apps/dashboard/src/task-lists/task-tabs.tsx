import { useEffect, useRef } from "preact/hooks";
import { type TabCounts, taskTabs } from "../api/wire.js";
import { fragmentOf } from "../place/route.js";
import type { TasksPlace } from "../place/tasks-place.js";
import { Icon } from "../ui/icon.js";
import { lineIn } from "./entered-line.js";
import { countText, tabWords } from "./tab-words.js";

interface TaskTabsProps {
  place: TasksPlace;
  /** Null: not known yet. */
  counts: TabCounts | null;
}

/** The tabs with how many tasks each has, whatever the filter; another tab keeps the filter. */
export function TaskTabs({ place, counts }: TaskTabsProps) {
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    const current = tabs.current?.querySelector("[aria-current]");
    current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [place.tab]);
  return (
    <nav ref={tabs} class="tabs" aria-label="Kinds of tasks">
      {taskTabs.map((tab) => {
        const { name, mark } = tabWords[tab];
        const href = fragmentOf({ page: "tasks", tab, line: lineIn(tab, place.line) });
        return (
          <a key={tab} href={href} class={`is-${mark}`} aria-current={tab === place.tab ? "page" : undefined}>
            <Icon name={mark} />
            {name} <span class="n">{countText(counts?.[tab])}</span>
          </a>
        );
      })}
    </nav>
  );
}
