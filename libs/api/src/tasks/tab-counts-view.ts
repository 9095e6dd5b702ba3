import type { TabCount, TabCounts, TaskTab } from "@tickwheel/core";

/** `GET /tasks/counts` as a client sees it. */
export type TabCountsView = Record<TaskTab, TabCountView> & { countedAt: string };

/** `atLeast`: counting ended at `count`. */
export interface TabCountView {
  count: number;
  atLeast?: true;
}

export function toTabCountsView({ counts, countedAt }: TabCounts): TabCountsView {
  const shown = ({ count, isAtLeast }: TabCount): TabCountView => ({ count, ...(isAtLeast ? { atLeast: true } : {}) });
  const tabs = Object.fromEntries(Object.entries(counts).map(([tab, count]) => [tab, shown(count)]));
  return { ...(tabs as Record<TaskTab, TabCountView>), countedAt: new Date(countedAt).toISOString() };
}
