import type { ComponentChildren } from "preact";
import { Icon } from "./icon.js";

interface StateMarkProps {
  /** A state of a task or a node, or a severity. */
  state: string;
  /** On its own ground. */
  fill?: boolean;
  /** What it says, where that is not the state's own name. */
  text?: ComponentChildren;
}

/** A state as sign, word and hue: the hue alone says nothing. */
export function StateMark({ state, fill = false, text = state }: StateMarkProps) {
  return (
    <span class={`st is-${state}${fill ? " fill" : ""}`}>
      <Icon name={state} />
      {text}
    </span>
  );
}
