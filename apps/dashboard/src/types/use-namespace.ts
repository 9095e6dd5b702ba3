import { useSignal } from "@preact/signals";
import type { NamespaceDetails } from "../api/wire.js";
import { emptyFeed, feedAfter, waitAskedFor, type Feed } from "../feeds/feed.js";
import { usePolling } from "../feeds/use-polling.js";
import { api } from "../session/session.js";

const pollMs = 5_000;

/** How the namespace stands, read again and again beside the page's stream. */
export function useNamespace() {
  const namespace = useSignal<Feed<NamespaceDetails>>(emptyFeed);
  const read = async (): Promise<number | undefined> => {
    namespace.value = feedAfter(namespace.value, await api.settings.namespace(), Date.now());
    return waitAskedFor(namespace.value);
  };
  const readAgain = usePolling(pollMs, read, { isBeside: true });
  return { namespace: namespace.value, readAgain };
}
