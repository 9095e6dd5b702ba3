import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { BatchFilter } from "../api/asked.js";
import { type BatchState, batchStates } from "../api/wire.js";
import { Seg } from "../ui/seg.js";

interface BatchFilterBarProps {
  filter: BatchFilter;
  onChange: (filter: BatchFilter) => void;
}

type Which = BatchState | "all";

/** Asks the API for a state, at once, and for how a name begins, once it is written. */
export function BatchFilterBar({ filter, onChange }: BatchFilterBarProps) {
  const { state, namePrefix = "" } = filter;
  const typed = useSignal(namePrefix);
  useEffect(() => void (typed.value = namePrefix), [namePrefix]);
  const change = (next: { which?: Which } = {}): void => {
    const { which = state ?? "all" } = next;
    const name = typed.value.trim();
    onChange({ ...(which !== "all" && { state: which }), ...(name !== "" && { namePrefix: name }) });
  };
  return (
    <form
      class="filter-bar"
      role="search"
      aria-label="Filter of the list"
      onSubmit={(event) => {
        event.preventDefault();
        change();
      }}
    >
      <label>
        Name begins with
        <input
          type="search"
          value={typed.value}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => (typed.value = event.currentTarget.value)}
          onChange={() => change()}
        />
      </label>
      <Seg<Which>
        label="State"
        value={state ?? "all"}
        choices={(["all", ...batchStates] as const).map((which) => ({ value: which, text: textOf(which) }))}
        onChange={(which) => change({ which })}
      />
    </form>
  );
}

function textOf(which: Which): string {
  return `${which.charAt(0).toUpperCase()}${which.slice(1)}`;
}
