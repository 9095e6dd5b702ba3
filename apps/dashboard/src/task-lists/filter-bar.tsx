import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { TasksPlace } from "../place/tasks-place.js";
import { momentNow, zone } from "../time/zone.js";
import { copy } from "../ui/cmd.js";
import { Icon } from "../ui/icon.js";
import { FieldAdders } from "./field-adders.js";
import { chipsOf, without } from "./filter-chips.js";
import { enteredPlace } from "./entered-line.js";
import { cured, faultsOf } from "./line-cures.js";
import { LineFaults } from "./line-faults.js";
import { orderOfAll, tabWords } from "./tab-words.js";

interface FilterBarProps {
  place: TasksPlace;
  onChange: (place: TasksPlace) => void;
}

/** The filter as a line and as chips. Whichever is changed, the address follows, and the other follows it. */
export function FilterBar({ place, onChange }: FilterBarProps) {
  const field = useRef<HTMLInputElement>(null);
  const line = useLine(place, onChange);
  const add = (word: string): void => {
    line.write(`${line.text.trimEnd()} ${word}:`.trimStart());
    field.current?.focus();
  };
  const correct = (text: string): void => {
    line.write(text);
    line.apply();
    field.current?.focus();
  };
  return (
    <form
      class="filters"
      role="search"
      aria-label="Filter of the list"
      onSubmit={(event) => {
        event.preventDefault();
        line.apply();
      }}
    >
      <QueryLine line={line} field={field} />
      <LineFaults line={line.text} faults={line.faults} onCorrect={(fault) => correct(cured(line.text, fault))} />
      <Chips place={place} onChange={onChange} />
      <FieldAdders place={place} onAdd={add} />
      <span class="order muted small">{place.tab === undefined ? orderOfAll : tabWords[place.tab].order}</span>
    </form>
  );
}

/**
 * What is written, until it is taken over: by Enter, or when the field is left. A line that is still being written at
 * the end is no fault until then.
 */
function useLine(place: TasksPlace, onChange: (place: TasksPlace) => void) {
  const typed = useSignal(place.line);
  const isDone = useSignal(true);
  const write = (text: string): void => {
    typed.value = text;
    isDone.value = false;
  };
  const end = (text: string): void => {
    typed.value = text;
    isDone.value = true;
  };
  const given = useRef(place.line);
  // What somebody writes before the first effect has run is theirs.
  useEffect(() => {
    if (given.current !== place.line) end(place.line);
    given.current = place.line;
  }, [place.line]);
  const apply = (): void => {
    const entered = enteredPlace({ ...place, line: typed.value }, momentNow());
    end(entered?.line ?? typed.value);
    if (entered !== null && entered.line !== place.line) onChange(entered);
  };
  const faults = faultsOf(typed.value, momentNow());
  const shown = isDone.value ? faults : faults.filter(({ to }) => to < typed.value.length);
  return { text: typed.value, faults: shown, write, apply };
}

interface QueryLineProps {
  line: ReturnType<typeof useLine>;
  field: { current: HTMLInputElement | null };
}

function QueryLine({ line, field }: QueryLineProps) {
  const { text, faults } = line;
  const scrolled = useSignal(0);
  return (
    <div class="query">
      <Icon name="search" />
      <span class="q">
        <input
          ref={field}
          type="text"
          aria-label="Filter"
          aria-describedby="line-faults"
          aria-invalid={faults.length > 0}
          placeholder="type:mail.* -tag:vip created:<24h"
          value={text}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          onInput={(event) => line.write(event.currentTarget.value)}
          onScroll={(event) => (scrolled.value = event.currentTarget.scrollLeft)}
          onChange={line.apply}
        />
        <span class="marks" aria-hidden="true" style={{ "--scrolled": `${scrolled.value}px` }}>
          {faults.map(({ from, to }, place) => (
            <i key={place} style={{ "--from": `${from}`, "--length": `${to - from}` }} />
          ))}
        </span>
      </span>
      <button type="button" class="tiny bare" onClick={() => void copy(location.href)}>
        <Icon name="link" />
        Copy link
      </button>
    </div>
  );
}

function Chips({ place, onChange }: FilterBarProps) {
  return (
    <>
      {chipsOf(place.line, zone.value).map((chip) => (
        <span key={chip.word} class="chip">
          <span>
            {chip.word} <b title={chip.text}>{chip.text}</b>
          </span>
          <button
            type="button"
            aria-label={`Remove ${chip.word}`}
            onClick={() => onChange({ ...place, line: without(place.line, chip) })}
          >
            <Icon name="x" />
          </button>
        </span>
      ))}
    </>
  );
}
