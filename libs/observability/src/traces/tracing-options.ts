/** What is traced of tasks. */
export interface TracingOptions {
  /** Keys of the baggage that travels with a task, to the node that runs it and to webhooks. Default none. */
  baggage?: readonly string[] | undefined;
  /**
   * `same-trace`: a run belongs to the trace of its task's creation, and links to that span. `own-trace`: it begins a
   * trace of its own, and only links. Default `same-trace`.
   */
  runs?: "same-trace" | "own-trace" | undefined;
}
