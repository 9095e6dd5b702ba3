/**
 * Whether a URL's host stands on an allow-list of `host` (its scheme's default port) or `host:port` entries, IPv6 in brackets. Only http
 * and https, no credentials in the URL.
 *
 * @example isAllowedHost(new URL("http://127.0.0.1:9000/hook"), ["127.0.0.1:9000"]) // true
 */
export function isAllowedHost(url: URL, allowedHosts: readonly string[]): boolean {
  if (url.protocol !== "https:" && url.protocol !== "http:") return false;
  if (url.username !== "" || url.password !== "") return false;
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  const names = [url.host.toLowerCase(), `${url.hostname.toLowerCase()}:${port}`];
  return allowedHosts.some((host) => names.includes(host.toLowerCase()));
}
