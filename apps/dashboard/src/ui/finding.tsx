import type { ComponentChildren } from "preact";
import type { Severity } from "../api/wire.js";
import { Instant } from "../time/instant.js";
import { Icon } from "./icon.js";

interface FindingProps {
  severity: Severity;
  title: ComponentChildren;
  /** ISO 8601; null where it is not known. */
  since?: string | null;
  /** What follows from it, for tasks and for who creates them. */
  what?: ComponentChildren;
  /** What is to be done, or that there is nothing to do. */
  cure?: ComponentChildren;
  /** Links, buttons and commands. */
  actions?: ComponentChildren;
  /** The only one that counts: it is read out at once. */
  isLead?: boolean;
}

/** One thing that is wrong: what, since when, what follows and what helps. */
export function Finding({ severity, title, since, what, cure, actions, isLead = false }: FindingProps) {
  const Heading = isLead ? "h2" : "h3";
  return (
    <div class={`finding is-${severity}${isLead ? " is-lead" : ""}`} role={isLead ? "alert" : undefined}>
      <Icon name={severity} />
      <Heading>
        <span class="sr">{severity}: </span>
        {title}
      </Heading>
      <span class="since">
        {since && (
          <>
            since <Instant at={since} />
          </>
        )}
      </span>
      {what && <p class="what">{what}</p>}
      {cure && <p class="cure">{cure}</p>}
      {actions && <div class="do">{actions}</div>}
    </div>
  );
}

interface VerdictProps {
  level: Severity | "good" | "unknown";
  text: string;
  note?: ComponentChildren;
}

/** The page's one sentence. It is read out when it changes; the figures below it are not. */
export function Verdict({ level, text, note }: VerdictProps) {
  return (
    <div class="verdict">
      {level === "good" && (
        <span class="ink is-good">
          <Icon name="good" />
        </span>
      )}
      <h2>
        <span role="status">{text}</span>
      </h2>
      {note && <span class="muted">{note}</span>}
    </div>
  );
}
