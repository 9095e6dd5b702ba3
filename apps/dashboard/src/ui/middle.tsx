import { copy } from "./cmd.js";
import { Icon } from "./icon.js";

/**
 * How many characters of its end are always shown: the end tells ids apart, while their beginning is a time that many
 * share.
 */
const endLength = 8;

/** A key or an id. Where there is no room for all of it, its middle is left out; the title has the whole. */
export function Middle({ text }: { text: string }) {
  const at = text.length > 2 * endLength ? text.length - endLength : text.length;
  return (
    <span class="middle mono" title={text}>
      <span>{text.slice(0, at)}</span>
      {at < text.length && <span>{text.slice(at)}</span>}
    </span>
  );
}

/** Puts `text` into the clipboard. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  return (
    <button
      type="button"
      class="copy"
      title={`Copy ${what}`}
      aria-label={`Copy ${what}`}
      onClick={() => void copy(text)}
    >
      <Icon name="copy" />
    </button>
  );
}
