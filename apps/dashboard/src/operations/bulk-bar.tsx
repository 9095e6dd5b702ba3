import { useSignal } from "@preact/signals";
import type { TickwheelApi } from "../api/tickwheel-api.js";
import type { OperationAction, Task } from "../api/wire.js";
import type { TasksPlace } from "../place/tasks-place.js";
import { whyReadOnly } from "../session/session.js";
import { formatNumberOf } from "../time/format.js";
import { Icon } from "../ui/icon.js";
import type { Column } from "../ui/data-table.js";
import { OperationDialog } from "./operation-dialog.js";
import { actionsOfTab, type Meant } from "./operation-question.js";
import { actionNames } from "./operation-words.js";

/** How many actions stand in the bar, the rest behind "More". */
const inBar = 3;

/** The tasks of a list that somebody has chosen; `all`: whatever the list's filter means. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly isAll: boolean;
}
export const noSelection: Selection = { ids: new Set(), isAll: false };

interface BulkBarProps {
  api: TickwheelApi;
  place: TasksPlace;
  selection: Selection;
  onSelect: (selection: Selection) => void;
}

/** What can be done to the chosen tasks; it stands below a list of which some are. */
export function BulkBar({ api, place, selection, onSelect }: BulkBarProps) {
  const open = useSignal<OperationAction | null>(null);
  const { ids, isAll } = selection;
  if (ids.size === 0 && !isAll) return null;
  const meant: Meant = isAll ? { kind: "place", place } : { kind: "ids", ids: [...ids] };
  return (
    <>
      <div class="bulk" role="region" aria-label="Selection">
        <span role="status">{isAll ? "All that match" : `${formatNumberOf(ids.size, "task")} selected`}</span>
        {!isAll && (
          <button type="button" class="ghost link" onClick={() => onSelect({ ...selection, isAll: true })}>
            Select all that match
          </button>
        )}
        <span class="sep" />
        <Actions actions={actionsOfTab[place.tab ?? "all"]} onChoose={(action) => (open.value = action)} />
        <button type="button" class="ghost" aria-label="Clear the selection" onClick={() => onSelect(noSelection)}>
          <Icon name="x" />
        </button>
      </div>
      {open.value && (
        <OperationDialog
          key={open.value}
          api={api}
          meant={meant}
          action={open.value}
          onClose={() => (open.value = null)}
          onStarted={() => onSelect(noSelection)}
        />
      )}
    </>
  );
}

interface ActionsProps {
  actions: readonly OperationAction[];
  onChoose: (action: OperationAction) => void;
}

/** The likeliest actions as buttons, the others behind "More". */
function Actions({ actions, onChoose }: ActionsProps) {
  const button = (action: OperationAction) => (
    <button
      key={action}
      type="button"
      disabled={whyReadOnly.value !== null}
      title={whyReadOnly.value ?? undefined}
      onClick={() => {
        document.getElementById("bulk-more")?.hidePopover();
        onChoose(action);
      }}
    >
      {actionNames[action]}
    </button>
  );
  return (
    <>
      {actions.slice(0, inBar).map(button)}
      {actions.length > inBar && (
        <>
          <button type="button" popovertarget="bulk-more">
            More
          </button>
          <div id="bulk-more" popover="auto" class="menu from-below">
            {actions.slice(inBar).map(button)}
          </div>
        </>
      )}
    </>
  );
}

/** The column by which tasks of a list are chosen. */
export function selectColumn(
  rows: readonly Task[],
  selection: Selection,
  onSelect: (selection: Selection) => void,
): Column<Task> {
  const { ids, isAll } = selection;
  const all = rows.map(({ id }) => id);
  const isWhole = all.length > 0 && all.every((id) => isAll || ids.has(id));
  const toggled = (some: readonly string[], isIn: boolean): void => {
    const next = new Set(isAll ? all : ids);
    for (const id of some)
      if (isIn) next.add(id);
      else next.delete(id);
    onSelect({ ids: next, isAll: false });
  };
  return {
    head: "Select",
    headCell: (
      <input
        type="checkbox"
        aria-label="Select the page"
        checked={isWhole}
        onInput={(event) => toggled(all, event.currentTarget.checked)}
      />
    ),
    isNarrow: true,
    cell: ({ id, key }) => (
      <input
        type="checkbox"
        aria-label={`Select ${key ?? id}`}
        checked={isAll || ids.has(id)}
        onInput={(event) => toggled([id], event.currentTarget.checked)}
      />
    ),
  };
}
