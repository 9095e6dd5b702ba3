import { formatLine, parseLine } from "@tickwheel/core/filter";
import type { TaskTab } from "../api/wire.js";
import { fragmentOf } from "../place/route.js";

interface TaskTagsProps {
  tags: readonly string[];
  /** The filter of the list that a tag leads to, but for its tags. Default: none. */
  line?: string;
  /** The tab of that list. Default: all. */
  tab?: TaskTab;
}

/** A task's tags; each leads to the list of the tasks that have it. */
export function TaskTags({ tags, line = "", tab }: TaskTagsProps) {
  if (tags.length === 0) return <>–</>;
  const { input } = parseLine(line);
  return (
    <span class="tags">
      {tags.map((tag) => (
        <a
          key={tag}
          class="tag"
          href={fragmentOf({ page: "tasks", tab, line: formatLine({ ...input, tag: [tag] }) })}
          aria-label={`Tasks tagged ${tag}`}
        >
          {tag}
        </a>
      ))}
    </span>
  );
}
