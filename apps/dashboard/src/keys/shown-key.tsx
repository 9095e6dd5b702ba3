import { useSignal } from "@preact/signals";
import type { NewApiKey } from "../api/wire.js";
import { copied } from "../ui/cmd.js";
import { Dialog } from "../ui/dialog.js";
import { Icon } from "../ui/icon.js";
import { keyName } from "./key-words.js";

/** Shows a key this once. It is left by its button alone: a press beside it would lose the key. */
export function ShownKey({ made: { key, apiKey }, onClose }: { made: NewApiKey; onClose: () => void }) {
  const said = useSignal("");
  return (
    <Dialog
      title={`The key of ${keyName(apiKey.name)}`}
      footer={
        <>
          <button type="button" onClick={() => void copied(key).then((text) => (said.value = text))}>
            <Icon name="copy" />
            Copy key
          </button>
          <button type="button" class="primary" onClick={onClose}>
            I have it
          </button>
        </>
      }
    >
      <p>It is shown only now: nobody can show it again. Put it where it will be used before you go on.</p>
      <pre tabIndex={0} role="group" aria-label="The key">
        {key}
      </pre>
      <p role="status">{said.value}</p>
    </Dialog>
  );
}
