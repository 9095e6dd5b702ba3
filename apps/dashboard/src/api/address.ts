/**
 * The base address of the API for the page at `pageUrl`: the page stands at `<path>/dashboard/`, the API at
 * `<path>/v1`.
 *
 * @example apiBaseOf("https://ops.example/jobs/dashboard/#/tasks") // "https://ops.example/jobs/v1"
 */
export function apiBaseOf(pageUrl: string): string {
  const { origin, pathname } = new URL(pageUrl);
  const folder = pathname.replace(/\/(?:index\.html)?$/, "");
  return `${origin}${folder.replace(/\/dashboard$/, "")}/v1`;
}
