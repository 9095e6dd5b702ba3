import { type Signal, signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { localProblem, type Problem } from "../api/problem.js";
import { PageHead } from "../ui/page-head.js";
import { ProblemView } from "../ui/problem-view.js";
import { Skeleton } from "../ui/skeleton.js";

type Loaded<Props> = ComponentType<Props> | Problem | null;

/**
 * A page that few visits need: its code is loaded when it is opened first, so that the first visit loads less.
 *
 * @param name its heading until it is there
 * @example const KeysPage = later("API keys", async () => (await import("./keys/keys-page.js")).KeysPage);
 */
export function later<Props extends object>(name: string, load: () => Promise<ComponentType<Props>>) {
  const loaded: Signal<Loaded<Props>> = signal(null);
  let isAsked = false;
  const ask = async (): Promise<void> => {
    if (isAsked) return;
    isAsked = true;
    loaded.value = await load().catch(() => {
      // Asked again when the page is opened again.
      isAsked = false;
      return localProblem("This page could not be loaded", "A newer version may run now: reload the browser's page.");
    });
  };
  return function Later(props: Props) {
    const Page = loaded.value;
    if (typeof Page === "function") return <Page {...props} />;
    void ask();
    return (
      <>
        <PageHead name={name} />
        {Page === null ? <Skeleton lines={8} /> : <ProblemView problem={Page} />}
      </>
    );
  };
}
