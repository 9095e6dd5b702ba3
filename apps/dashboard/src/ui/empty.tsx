import type { ComponentChildren } from "preact";
import { Icon } from "./icon.js";

interface EmptyProps {
  icon: string;
  title: ComponentChildren;
  children?: ComponentChildren;
  /** What to do next. */
  actions?: ComponentChildren;
  /** Nothing is as it should be. */
  isGood?: boolean;
}

/** There is nothing: why, and what to do next. */
export function Empty({ icon, title, children, actions, isGood = false }: EmptyProps) {
  return (
    <div class={isGood ? "empty is-good" : "empty"}>
      <Icon name={icon} />
      <h3>{title}</h3>
      {children && <p>{children}</p>}
      {actions && <div class="actions">{actions}</div>}
    </div>
  );
}
