import type { TaskFilter } from "../api/asked.js";
import type { TaskTab } from "../api/wire.js";
import { fragmentOf } from "../place/route.js";

interface TaskTagsProps {
  tags: readonly string[];
  /** What else the list shows that a tag leads to. */
  filter?: TaskFilter;
  /** The tab of that list. Default: all. */
  tab?: TaskTab;
}

/** A task's tags; each leads to the list of the tasks that have it. */
export function TaskTags({ tags, filter = {}, tab }: TaskTagsProps) {
  if (tags.length === 0) return <>–</>;
  return (
    <span class="tags">
      {tags.map((tag) => (
        <a
          key={tag}
          class="tag"
          href={fragmentOf({ page: "tasks", tab, filter: { ...filter, tag } })}
          aria-label={`Tasks tagged ${tag}`}
        >
          {tag}
        </a>
      ))}
    </span>
  );
}
