import { Dialog } from "../ui/dialog.js";
import { Kbd } from "../ui/kbd.js";
import { keyTexts } from "./keys.js";
import { letters } from "./use-keys.js";
import { overlay } from "./overlays.js";

/** All keys, and the switch that turns single letters off. */
export function KeyHelp() {
  const close = (): void => void (overlay.value = null);
  return (
    <Dialog
      title="Keys"
      onClose={close}
      footer={
        <button type="button" onClick={close}>
          Back
        </button>
      }
    >
      <dl class="keys-list">
        {keyTexts.map(({ keys, text }) => (
          <div key={text}>
            <dt>
              <Kbd keys={keys} />
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={letters.value === "on"}
          onChange={(event) => (letters.value = event.currentTarget.checked ? "on" : "off")}
        />{" "}
        Single letters act
      </label>
    </Dialog>
  );
}
