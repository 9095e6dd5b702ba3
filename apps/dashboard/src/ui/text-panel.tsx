import { copy } from "./cmd.js";
import { Icon } from "./icon.js";
import { Panel } from "./panel.js";

/** A text as it is, which can be copied. */
export function TextPanel({ title, text }: { title: string; text: string }) {
  const copyButton = (
    <button type="button" class="tiny bare" onClick={() => void copy(text)}>
      <Icon name="copy" />
      Copy
    </button>
  );
  return (
    <Panel title={title} more={copyButton}>
      <div class="body">
        <pre tabIndex={0} role="group" aria-label={title}>
          {text}
        </pre>
      </div>
    </Panel>
  );
}
