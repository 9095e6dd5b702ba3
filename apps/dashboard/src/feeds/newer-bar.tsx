import { Kbd } from "../ui/kbd.js";
import { newerWords, type HeldList } from "./held-list.js";

interface NewerBarProps {
  list: HeldList<unknown>;
  /** Shows the page as it is now. */
  onShow: () => void;
}

/** Above the rows: how the list has changed since it was shown. The key `n` presses it. */
export function NewerBar({ list, onShow }: NewerBarProps) {
  const words = newerWords(list);
  return (
    <div role="status" class="news">
      {words && (
        <button type="button" class="newer" onClick={onShow}>
          {words} <Kbd keys={["n"]} />
        </button>
      )}
    </div>
  );
}
