import { signal } from "@preact/signals";
import { Icon } from "./icon.js";

const staysMs = 10_000;

const said = signal<string | null>(null);
let timer: ReturnType<typeof setTimeout> | undefined;

/** Says at the rim of the page what was done; it goes after 10 s, or with the next. */
export function toast(text: string): void {
  clearTimeout(timer);
  said.value = text;
  timer = setTimeout(() => (said.value = null), staysMs);
}

/** Where toasts appear; once per page. The region is always there, so that what comes into it is read out. */
export function ToastRegion() {
  return (
    <div role="status">
      {said.value && (
        <div class="toast">
          {said.value}
          <button type="button" class="icon" aria-label="Close" onClick={() => (said.value = null)}>
            <Icon name="x" />
          </button>
        </div>
      )}
    </div>
  );
}
