import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface PanelProps {
  title: string;
  /** Beside the title. */
  note?: ComponentChildren;
  /** At the right of the head. */
  more?: ComponentChildren;
  children: ComponentChildren;
}

/** A part of a page under its heading. */
export function Panel({ title, note, more, children }: PanelProps) {
  const id = useId();
  return (
    <section class="panel" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {note && <p>{note}</p>}
        {more && <div class="more">{more}</div>}
      </header>
      {children}
    </section>
  );
}
