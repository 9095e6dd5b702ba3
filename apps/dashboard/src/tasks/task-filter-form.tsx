import { taskStates, type TaskFilter, type TaskState } from "../api/wire.js";

interface TaskFilterFormProps {
  filter: TaskFilter;
  onChange: (filter: TaskFilter) => void;
}

export function TaskFilterForm({ filter, onChange }: TaskFilterFormProps) {
  const submit = (event: Event): void => {
    event.preventDefault();
    onChange(filterIn(new FormData(event.currentTarget as HTMLFormElement)));
  };
  return (
    <form class="filter-bar" role="search" aria-label="Filter of the list" onSubmit={submit}>
      <label>
        State
        <select name="state" defaultValue={filter.state ?? ""}>
          <option value="">any</option>
          {taskStates.map((state) => (
            <option key={state} value={state} selected={state === filter.state}>
              {state}
            </option>
          ))}
        </select>
      </label>
      <label>
        Type
        <input name="type" defaultValue={filter.type ?? ""} autocomplete="off" spellcheck={false} />
      </label>
      <label>
        Key
        <input name="key" defaultValue={filter.key ?? ""} autocomplete="off" spellcheck={false} />
      </label>
      <label>
        Tag
        <input name="tag" defaultValue={filter.tag ?? ""} autocomplete="off" spellcheck={false} />
      </label>
      <label class="check">
        <input type="checkbox" name="live" defaultChecked={filter.live} /> Only live
      </label>
      <button type="submit" class="primary">
        Filter
      </button>
      <button type="button" onClick={() => onChange({})}>
        Clear
      </button>
    </form>
  );
}

function filterIn(fields: FormData): TaskFilter {
  const text = (name: string): string | undefined => {
    const value = fields.get(name);
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  return {
    state: text("state") as TaskState | undefined,
    type: text("type")?.trim(),
    key: text("key"),
    tag: text("tag"),
    live: fields.has("live") || undefined,
  };
}
