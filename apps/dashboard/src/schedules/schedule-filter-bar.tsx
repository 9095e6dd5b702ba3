import { Seg } from "../ui/seg.js";
import { whiches, type ScheduleFilter, type Which } from "./schedule-filter.js";

interface ScheduleFilterBarProps {
  filter: ScheduleFilter;
  onChange: (filter: ScheduleFilter) => void;
}

/** Asks the API for a state, and filters what was read by words, at once. */
export function ScheduleFilterBar({ filter, onChange }: ScheduleFilterBarProps) {
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
        choices={whiches.map((which) => ({ value: which, text: textOf(which) }))}
        onChange={(which) => onChange({ ...filter, which })}
      />
    </form>
  );
}

function textOf(which: Which): string {
  return `${which.charAt(0).toUpperCase()}${which.slice(1)}`;
}
