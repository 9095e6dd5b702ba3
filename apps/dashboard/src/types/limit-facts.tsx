import type { ComponentChild } from "preact";
import type { Limits } from "../api/wire.js";
import { Meter } from "../ui/progress.js";
import { limitUse } from "./type-words.js";

/** A name and its value in a list of facts. Nothing is shown where there is nothing to say. */
export function Fact({ name, isCode, children }: { name: string; isCode?: boolean; children: ComponentChild }) {
  if (!children) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd class={isCode ? "mono" : undefined}>{children}</dd>
    </div>
  );
}

/** The limits of a type or a namespace in the whole cluster, and how much of them is used. */
export function LimitFacts({ limits }: { limits: Limits | null }) {
  const use = limitUse({ limits });
  return (
    <>
      <Fact name="At once in the whole cluster">
        {use?.running && (
          <>
            {use.running.text}
            <Meter label={use.running.text} share={use.running.share} />
          </>
        )}
      </Fact>
      <Fact name="Starts in the whole cluster">{use?.rate}</Fact>
    </>
  );
}
