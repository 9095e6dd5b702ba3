import { isIP } from "node:net";
import { AddressRanges, isAddressRange, isPublicAddress, LOOPBACK_ADDRESSES } from "./public-addresses.js";

const HOST = /^([a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(:\d{1,5})?$/i;

/**
 * Whether a text is an entry of {@link AllowedHosts}: `host`, `host:port` (IPv6 in brackets), or a network such as
 * `10.0.0.0/8`.
 */
export function isHostEntry(text: string): boolean {
  return isAddressRange(text) || (HOST.test(text) && URL.canParse(`https://${text}`));
}

/**
 * Where webhooks may go. To any host by https, where its address is public; and to what is listed:
 *
 * - `host`: that host by https, port 443
 * - `host:port`: that port, by http or https
 * - a network such as `10.0.0.0/8`: an address that listed names may resolve to, beside the public ones. A listed
 *   address needs none, and `localhost` is this machine
 *
 * So a listed name that is suddenly resolved to something inside leads nowhere. URLs with a user or a password are
 * refused. Immutable.
 *
 * @example
 * const hosts = new AllowedHosts(["127.0.0.1:9000"]);
 * hosts.permits(new URL("http://127.0.0.1:9000/hook")); // true
 * hosts.permits(new URL("http://example.com/")); // false: not https
 */
export class AllowedHosts {
  /** The listed hosts, each with its port. */
  private readonly names: ReadonlySet<string>;
  private readonly ranges: AddressRanges;

  /** @param entries each as {@link isHostEntry} wants it */
  constructor(entries: readonly string[]) {
    this.names = new Set(entries.filter((entry) => !isAddressRange(entry)).map(nameOfEntry));
    this.ranges = new AddressRanges(entries.filter(isAddressRange));
  }

  /**
   * Whether a URL may be delivered to, as far as the URL itself tells: what its name stands for is seen when it is
   * dialled.
   */
  permits(url: URL): boolean {
    if (!isWebhookUrl(url)) return false;
    if (this.lists(url)) return true;
    return url.protocol === "https:" && this.mayReach(url, addressOf(url));
  }

  /** Whether an address may be dialled for a URL. */
  mayReach(url: URL, address: string): boolean {
    if (isIP(address) === 0 || isPublicAddress(address)) return true;
    if (!this.lists(url)) return false;
    if (addressOf(url) === address || this.ranges.holds(address)) return true;
    return isLocalhost(url) && LOOPBACK_ADDRESSES.holds(address);
  }

  /** Whether the operator chose a URL's host and port. */
  lists({ protocol, hostname, port }: URL): boolean {
    return this.names.has(`${hostname}:${port || (protocol === "https:" ? "443" : "80")}`);
  }
}

/** An IP address in a URL, as a resolver would give it; else the name. */
export function addressOf({ hostname }: URL): string {
  return hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
}

/** Whether a URL's host is this machine by its name, with the dot of the root or without: no name server is asked. */
export function isLocalhost({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "localhost.";
}

/** Whether webhooks may go to such a URL at all, whatever is listed: http or https, without a user. */
export function isWebhookUrl({ protocol, username, password }: URL): boolean {
  return (protocol === "https:" || protocol === "http:") && username === "" && password === "";
}

/** In the spelling of {@link URL}, always with its port. */
function nameOfEntry(entry: string): string {
  const { hostname } = new URL(`https://${entry}`);
  return `${hostname}:${/:(\d+)$/.exec(entry.replace(/^\[.*\]/, ""))?.[1] ?? "443"}`;
}
