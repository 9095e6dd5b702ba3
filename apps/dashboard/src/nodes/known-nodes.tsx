import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Cluster, JournalEntry, Task } from "../api/wire.js";
import { useReading } from "../feeds/use-reading.js";
import { session } from "../session/session.js";
import { namesOf, type NameOf } from "./node-names.js";

/** What nodes are called; labels until the cluster was read, and for who may not see it. */
export const nodeNames = signal<NameOf>(namesOf({ nodes: [] }));

/** Reads the names of the nodes for all pages, at once and then each minute. */
export function useKnownNodes(): void {
  const { value } = useReading<Cluster>(session.value?.cluster ? "/cluster" : null);
  useEffect(() => void (value && (nodeNames.value = namesOf(value))), [value]);
}

/** What the node with this label is called. */
export const nodeName = (label: string): string => nodeNames.value({ label, bootId: "" });

/** A node by its name, with its label in the title; a dash where there is none. */
export function NodeName({ label, none = "–" }: { label: string | null; none?: string }) {
  if (label === null) return <>{none}</>;
  const name = nodeName(label);
  return (
    <span class="nowrap" title={name === label ? undefined : label}>
      {name}
    </span>
  );
}

/** A task whose sentences call the nodes by their names. */
export function withNodeNames(task: Task): Task {
  const { because } = task;
  if (!because) return { ...task, node: named(task.node) };
  const { lastRunner, late } = because;
  return {
    ...task,
    node: named(task.node),
    because: {
      ...because,
      lastRunner: lastRunner && { ...lastRunner, node: named(lastRunner.node) },
      late: late && {
        ...late,
        takenFrom: late.takenFrom && { ...late.takenFrom, node: nodeName(late.takenFrom.node) },
      },
    },
  };
}

/** An entry of a journal that calls the nodes by their names. */
export function entryWithNames(entry: JournalEntry): JournalEntry {
  const { node, latenessParts: parts } = entry;
  const takenFrom = parts?.takenFrom;
  return {
    ...entry,
    node: named(node),
    latenessParts: takenFrom ? { ...parts, takenFrom: { ...takenFrom, node: nodeName(takenFrom.node) } } : parts,
  };
}

const named = (label: string | null): string | null => (label === null ? null : nodeName(label));

/** A node by its name, with its label beside it. */
export function NodeFact({ label }: { label: string }) {
  const name = nodeName(label);
  return (
    <>
      {name !== label && <>{name} </>}
      <span class={name === label ? "mono" : "mono muted"}>{label}</span>
    </>
  );
}
