import type { ComponentChildren } from "preact";
import { Icon } from "./icon.js";

interface BannerProps {
  severity: "critical" | "warning" | "notice" | "good";
  title: ComponentChildren;
  children?: ComponentChildren;
  buttons?: ComponentChildren;
  /** How it is read out. Default `status`: when the reader is done. */
  role?: "alert" | "status";
}

/** Something about the page or a call: one title, one sentence, at most one button. */
export function Banner({ severity, title, children, buttons, role = "status" }: BannerProps) {
  return (
    <div class={`banner is-${severity}`} role={role}>
      <Icon name={severity} />
      <h2>{title}</h2>
      {children && <div class="small">{children}</div>}
      {buttons && <div class="btns">{buttons}</div>}
    </div>
  );
}
