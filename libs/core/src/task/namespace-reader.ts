/** Who reads what of a namespace. */
export interface NamespaceReader {
  namespace: string;
  /**
   * Whose turn a read takes among those of its namespace, the id of an API key say, so that no caller holds up another.
   * Default: the application's own.
   */
  caller?: string;
}
