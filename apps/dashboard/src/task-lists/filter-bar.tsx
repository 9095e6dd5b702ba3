import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { placeOf, type FilterWord, type TasksPlace } from "../place/tasks-place.js";
import { copy } from "../ui/cmd.js";
import { Icon } from "../ui/icon.js";
import { LineFaults } from "./line-faults.js";
import { lineOf, lineWith, readLine } from "./query-line.js";
import { addableWords, chipsOf, orderOfAll, tabWords, without } from "./tab-words.js";

interface FilterBarProps {
  place: TasksPlace;
  onChange: (place: TasksPlace) => void;
}

/** The filter as a line of words and as chips. Whichever is changed, the address follows, and the other follows it. */
export function FilterBar({ place, onChange }: FilterBarProps) {
  const field = useRef<HTMLInputElement>(null);
  const line = useLine(place, onChange);
  const add = (word: FilterWord): void => {
    line.write(lineWith(line.text, word));
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
      <LineFaults line={line.text} faults={line.faults} onCorrect={correct} />
      <Chips place={place} onChange={onChange} />
      {addableWords(place).map((word) => (
        <button key={word} type="button" class="tiny bare wide" onClick={() => add(word)}>
          <Icon name="plus" />
          {nameOf(word)}
        </button>
      ))}
      <span class="order muted small">{place.tab === undefined ? orderOfAll : tabWords[place.tab].order}</span>
    </form>
  );
}

/**
 * What is written, until it is taken over: by Enter, or when the field is left. What is still being written at the end
 * is no fault until then.
 */
function useLine(place: TasksPlace, onChange: (place: TasksPlace) => void) {
  const given = lineOf(place.filter);
  const typed = useSignal(given);
  const isDone = useSignal(false);
  const write = (text: string): void => {
    typed.value = text;
    isDone.value = false;
  };
  useEffect(() => write(given), [given]);
  const apply = (): void => {
    const { values, faults } = readLine(typed.value);
    isDone.value = true;
    if (faults.length === 0 && typed.value.trim() !== given) onChange(placeOf(place.tab, values));
  };
  const { faults } = readLine(typed.value);
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
          placeholder="type:mail.send due:<1h"
          value={text}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          onInput={(event) => line.write(event.currentTarget.value)}
          onScroll={(event) => (scrolled.value = event.currentTarget.scrollLeft)}
          onChange={line.apply}
        />
        <span class="marks" aria-hidden="true" style={{ "--scrolled": `${scrolled.value}px` }}>
          {faults.map(({ from, to }) => (
            <i key={from} style={{ "--from": `${from}`, "--length": `${to - from}` }} />
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
      {chipsOf(place).map(({ word, text }) => (
        <span key={word} class="chip">
          <span>
            {word} <b title={text}>{text}</b>
          </span>
          <button
            type="button"
            aria-label={`Remove ${word}`}
            onClick={() => onChange({ ...place, filter: without(place.filter, word) })}
          >
            <Icon name="x" />
          </button>
        </span>
      ))}
    </>
  );
}

function nameOf(word: FilterWord): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}
