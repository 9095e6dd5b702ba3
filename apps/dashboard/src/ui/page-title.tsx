import { useEffect, useRef } from "preact/hooks";

/** The heading of a page. It names the tab, and takes the focus so that a screen reader says where it is. */
export function PageTitle({ text, tab = text }: { text: string; tab?: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  useEffect(() => {
    document.title = `${tab} – Tickwheel`;
  }, [tab]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {text}
    </h1>
  );
}
