import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
import { isFrozen } from "../feeds/attention.js";
import { pageCommands, type Command } from "../place/commands.js";
import { logOut, mayAs, session } from "../session/session.js";
import { switchZone, zone } from "../time/zone.js";
import { Dialog } from "../ui/dialog.js";
import { Icon } from "../ui/icon.js";
import { Kbd } from "../ui/kbd.js";
import { overlay } from "./overlays.js";
import { pagesFor } from "./pages.js";
import { paletteGroups, type PaletteGroup } from "./palette-items.js";
import { useFound } from "./use-found.js";
import { theme, themeIcons, themes } from "./theme.js";

/** Does, goes and finds by typing. It offers what the role may do. */
export function Palette() {
  const typed = useSignal("");
  const chosen = useSignal(0);
  const id = useId();
  const groups = paletteGroups(typed.value, { ...sourceNow(), found: useFound(typed.value) });
  const items = groups.flatMap((group) => group.items);
  const at = Math.min(chosen.value, items.length - 1);
  const run = (item: Command | undefined): void => {
    if (!item) return;
    overlay.value = null;
    // After the dialog is gone and has given the focus back: what runs may open another.
    setTimeout(item.run);
  };
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") run(items[at]);
    else if (step === undefined) return;
    else chosen.value = (at + step + items.length) % Math.max(1, items.length);
    event.preventDefault();
  };
  return (
    <Dialog title="Find or do" isBare class="palette" onClose={() => (overlay.value = null)}>
      <div class="ask">
        <Icon name="search" />
        <input
          aria-label="Find or do"
          autocomplete="off"
          spellcheck={false}
          role="combobox"
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={items.length > 0 ? `${id}-${at}` : undefined}
          value={typed.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
            chosen.value = 0;
          }}
          onKeyDown={move}
        />
        <Kbd keys={["esc"]} />
      </div>
      <Results id={id} groups={groups} at={at} onRun={run} />
      <footer>
        <Kbd keys={["↑", "↓"]} /> choose <Kbd keys={["↵"]} /> go
        <span class="wide">An id, or how a key, a type, a node, a schedule or a batch begins</span>
      </footer>
    </Dialog>
  );
}

interface ResultsProps {
  id: string;
  groups: readonly PaletteGroup[];
  at: number;
  onRun: (item: Command) => void;
}

function Results({ id, groups, at, onRun }: ResultsProps) {
  let index = 0;
  return (
    <div role="listbox" id={id} aria-label="Results" class="results">
      {groups.map(({ name, items }) => (
        <div key={name} role="group" aria-label={name}>
          <p class="group" role="presentation">
            {name}
          </p>
          {items.map((item) => (
            <Option
              key={`${item.name} ${item.note}`}
              id={`${id}-${index}`}
              isChosen={index++ === at}
              item={item}
              onRun={onRun}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

interface OptionProps {
  id: string;
  item: Command;
  isChosen: boolean;
  onRun: (item: Command) => void;
}

function Option({ id, item, isChosen, onRun }: OptionProps) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => void (isChosen && element.current?.scrollIntoView({ block: "nearest" })), [isChosen]);
  return (
    <div ref={element} id={id} role="option" aria-selected={isChosen} onClick={() => onRun(item)}>
      <Icon name={item.icon} />
      <span>{item.name}</span>
      {/* The space parts them for who hears them. */} {item.note && <span class="muted">{item.note}</span>}
    </div>
  );
}

function sourceNow() {
  const themeCommands = themes
    .filter((one) => one !== theme.value)
    .map((one) => ({ name: `Theme: ${one}`, icon: themeIcons[one], run: () => void (theme.value = one) }));
  const commands: Command[] = [
    ...pageCommands.value,
    {
      name: isFrozen.value ? "Go on with live figures" : "Freeze the figures as they are",
      icon: isFrozen.value ? "play" : "pause",
      run: () => void (isFrozen.value = !isFrozen.value),
    },
    { name: zone.value === "utc" ? "Show times in your zone" : "Show times in UTC", icon: "globe", run: switchZone },
    ...themeCommands,
    { name: "Show all keys", icon: "notice", run: () => void (overlay.value = "keys") },
    ...(session.value?.user == null ? [{ name: "Log out", icon: "lock" as const, run: () => void logOut() }] : []),
  ];
  const allowed = pagesFor({ may: mayAs, cluster: session.value?.cluster ?? false });
  return { commands, pages: allowed, go: (href: string) => void (location.hash = href) };
}
