import type { ComponentChildren } from "preact";
import type { Problem } from "../api/problem.js";
import { clockText } from "../time/zone.js";
import { Banner } from "./banner.js";

interface ProblemViewProps {
  problem: Problem;
  buttons?: ComponentChildren;
}

/** Why something was refused: the detail, and each fault by its path. It is read out when it appears. */
export function ProblemView({ problem, buttons }: ProblemViewProps) {
  const { title, detail, code, errors, retryAfterMs } = problem;
  return (
    <Banner
      severity="critical"
      role="alert"
      title={
        <>
          {title} {code && <code class="small">{code}</code>}
        </>
      }
      buttons={buttons}
    >
      {detail && <p>{detail}</p>}
      {retryAfterMs !== null && <p>Try again in {Math.ceil(retryAfterMs / 1000)} s.</p>}
      {errors.length > 0 && (
        <ul>
          {errors.map((fault, index) => (
            <li key={index}>
              {fault.path && <code>{fault.path}</code>} {fault.detail}
            </li>
          ))}
        </ul>
      )}
    </Banner>
  );
}

/** What is shown is old: since when, and why. */
export function StaleBanner({ text, readAt }: { text: string; readAt: number | null }) {
  return (
    <Banner severity="warning" title="These figures are old">
      <p>
        {text} {readAt !== null && <>What you see is of {clockText(readAt)}. </>}It is tried again by itself.
      </p>
    </Banner>
  );
}
