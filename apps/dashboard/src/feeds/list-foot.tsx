import { Pager } from "../ui/pager.js";
import { changeWords, type HeldList } from "./held-list.js";

interface ListFootProps {
  list: HeldList<unknown>;
  trail: readonly string[];
  onOpen: (trail: readonly string[]) => void;
}

/** In the head of the list: how it has changed since it was shown. */
export function NewerButton({ list, trail, onOpen }: ListFootProps) {
  const words = changeWords(list);
  return (
    <span role="status">
      {words && (
        <button type="button" class="tiny" onClick={() => onOpen(trail)}>
          {words}
        </button>
      )}
    </span>
  );
}

/** Below the rows: other pages, where there are any. */
export function ListFoot({ list, trail, onOpen }: ListFootProps) {
  if (list.nextCursor === null && trail.length === 0) return null;
  return (
    <footer>
      <Pager trail={trail} next={list.nextCursor} onOpen={onOpen} />
    </footer>
  );
}
