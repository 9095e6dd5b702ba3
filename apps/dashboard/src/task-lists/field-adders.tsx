import { FIELDS, type FilterField } from "@tickwheel/core/filter";
import type { TasksPlace } from "../place/tasks-place.js";
import { Icon } from "../ui/icon.js";
import { fieldText } from "./field-text.js";
import { unsaidFields } from "./filter-chips.js";
import { firstFields } from "./tab-words.js";

interface FieldAddersProps {
  place: TasksPlace;
  /** Takes the word of a field, whose value is still to be written. */
  onAdd: (word: string) => void;
}

/** The fields that matter in the tab and of which the filter says nothing yet, and all fields with their texts. */
export function FieldAdders({ place: { tab, line }, onAdd }: FieldAddersProps) {
  const first = firstFields(tab);
  const offered = unsaidFields(line).filter(([name]) => first.includes(name));
  return (
    <>
      {offered.map(([name, field]) => (
        <button
          key={name}
          type="button"
          class="tiny bare wide"
          title={fieldText(field).join("")}
          onClick={() => onAdd(field.word)}
        >
          <Icon name="plus" />
          {nameOf(field.word)}
        </button>
      ))}
      <details class="all-fields">
        <summary class="small">All fields</summary>
        <p class="small muted">
          Commas stand between several values: <code>state:dead,expired</code>. A <code>-</code> before a field says
          what must not hold: <code>-tag:vip</code>. What has a space stands in quotation marks.
        </p>
        <ul>
          {FIELDS.map(([name, field]) => (
            <li key={name}>
              <button type="button" class="tiny" onClick={() => onAdd(field.word)}>
                {field.word}
              </button>{" "}
              <FieldText field={field} />
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}

function FieldText({ field }: { field: FilterField }) {
  return (
    <span class="small muted">
      {fieldText(field).map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))}
    </span>
  );
}

function nameOf(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}
