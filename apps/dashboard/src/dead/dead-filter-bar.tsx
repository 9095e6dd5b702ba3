import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type DeadFilter, type DeadReason, deadReasons } from "../api/asked.js";
import { whyDead } from "./dead-words.js";

interface DeadFilterBarProps {
  filter: DeadFilter;
  onChange: (filter: DeadFilter) => void;
}

/** Asks for a reason, at once, and for one type and what the error says, once they are written. */
export function DeadFilterBar({ filter, onChange }: DeadFilterBarProps) {
  const { type = "", error = "" } = filter;
  const typed = useSignal({ type, error });
  useEffect(() => void (typed.value = { type, error }), [type, error]);
  const change = (): void => {
    const { type: _type, error: _error, ...rest } = filter;
    const given = Object.entries(typed.value).map(([name, text]) => [name, text.trim()] as const);
    onChange({ ...rest, ...Object.fromEntries(given.filter(([, text]) => text !== "")) });
  };
  const choose = (next: DeadReason | undefined): void => {
    const { reason: _reason, ...rest } = filter;
    onChange({ ...rest, ...(next && { reason: next }) });
  };
  const field = (name: "type" | "error", label: string) => (
    <label>
      {label}
      <input
        type="search"
        value={typed.value[name]}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => (typed.value = { ...typed.value, [name]: event.currentTarget.value })}
        onChange={change}
      />
    </label>
  );
  return (
    <form
      class="filter-bar"
      role="search"
      aria-label="Filter of the causes"
      onSubmit={(event) => {
        event.preventDefault();
        change();
      }}
    >
      {field("type", "Type")}
      <Reason reason={filter.reason} onChange={choose} />
      {field("error", "Error contains")}
    </form>
  );
}

interface ReasonProps {
  /** Absent: any. */
  reason: DeadReason | undefined;
  onChange: (reason: DeadReason | undefined) => void;
}

function Reason({ reason, onChange }: ReasonProps) {
  return (
    <label>
      Ended because
      <select
        value={reason ?? ""}
        onChange={(event) => onChange(deadReasons.find((one) => one === event.currentTarget.value))}
      >
        <option value="">Any</option>
        {deadReasons.map((one) => (
          <option key={one} value={one}>
            {whyDead(one)}
          </option>
        ))}
      </select>
    </label>
  );
}
