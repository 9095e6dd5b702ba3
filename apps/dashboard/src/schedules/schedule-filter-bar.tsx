import type { Schedule } from "../api/schedule-wire.js";
import { formatCount } from "../time/format.js";
import { Seg } from "../ui/seg.js";
import { isOf, whiches, type ScheduleFilter, type Which } from "./schedule-filter.js";

interface ScheduleFilterBarProps {
  rows: readonly Schedule[];
  filter: ScheduleFilter;
  onChange: (filter: ScheduleFilter) => void;
}

/** Filters what was read, at once; a choice that has none is left out. */
export function ScheduleFilterBar({ rows, filter, onChange }: ScheduleFilterBarProps) {
  const choices = whiches.map((which) => ({ which, count: rows.filter((row) => isOf(row, which)).length }));
  const shown = choices.filter(({ which, count }) => which === "all" || which === filter.which || count > 0);
  return (
    <form class="filter-bar" role="search" aria-label="Filter of the list" onSubmit={(event) => event.preventDefault()}>
      <label>
        Name, type, zone
        <input
          type="search"
          value={filter.text}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => onChange({ ...filter, text: event.currentTarget.value })}
        />
      </label>
      <Seg<Which>
        label="Which"
        value={filter.which}
        choices={shown.map(({ which, count }) => ({ value: which, text: textOf(which, count) }))}
        onChange={(which) => onChange({ ...filter, which })}
      />
    </form>
  );
}

function textOf(which: Which, count: number): string {
  return `${which.charAt(0).toUpperCase()}${which.slice(1)} ${formatCount(count)}`;
}
