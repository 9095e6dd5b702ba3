interface PagerProps {
  /** The cursors of the pages up to this one; none on the first. */
  trail: readonly string[];
  /** The cursor of the page behind this one; null: there is none. */
  next: string | null;
  onOpen: (trail: readonly string[]) => void;
}

/** Leads from page to page of a list that is read by cursors. */
export function Pager({ trail, next, onOpen }: PagerProps) {
  return (
    <nav class="pager" aria-label="Pages of the list">
      <button type="button" class="tiny" disabled={trail.length === 0} onClick={() => onOpen(trail.slice(0, -1))}>
        Previous
      </button>
      <span>Page {trail.length + 1}</span>
      <button
        type="button"
        class="tiny"
        disabled={next === null}
        onClick={() => next !== null && onOpen([...trail, next])}
      >
        Next
      </button>
    </nav>
  );
}
