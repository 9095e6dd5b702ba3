import { Icon } from "./icon.js";
import { toast } from "./toast.js";

/** A command for a terminal. A click copies it. */
export function Cmd({ text }: { text: string }) {
  return (
    <button type="button" class="cmd" title="Copy" onClick={() => void copy(text)}>
      <Icon name="term" />
      {text}
    </button>
  );
}

/** Puts `text` into the clipboard and says so. */
export async function copy(text: string): Promise<void> {
  toast(await copied(text));
}

/** Puts `text` into the clipboard, and answers what came of it; a page without TLS has no clipboard. */
export async function copied(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return "Copied.";
  } catch {
    return "This browser lets no page copy here.";
  }
}
