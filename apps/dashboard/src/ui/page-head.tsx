import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** What the header says of where the page is: the names of the pages above it, and its own. */
export const crumb = signal("");

interface PageHeadProps {
  /** The heading, and the name in the header. */
  name: string;
  /** Beside the name, quieter. */
  detail?: ComponentChildren;
  /** Below the name. */
  sub?: ComponentChildren;
  actions?: ComponentChildren;
  /** What names the browser's tab. Default: `name`. */
  tab?: string;
  /** The page opens with a sentence of its own: the heading is only read out. */
  isQuiet?: boolean;
}

/** The head of a page. Its heading takes the focus when the page opens, so that a screen reader says where it is. */
export function PageHead({ name, detail, sub, actions, tab = name, isQuiet = false }: PageHeadProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  useEffect(() => {
    document.title = `${tab} – Tickwheel`;
    crumb.value = name;
  }, [tab, name]);
  const title = (
    <h1 ref={heading} tabIndex={-1} class={isQuiet ? "sr" : undefined}>
      {name} {detail}
    </h1>
  );
  if (isQuiet) return title;
  return (
    <div class="head">
      <div>
        {title}
        {sub && <div class="sub">{sub}</div>}
      </div>
      {actions && <div class="actions">{actions}</div>}
    </div>
  );
}
