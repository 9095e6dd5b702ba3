import { BlockList } from "node:net";

/**
 * Networks that are not the public internet, by the special-purpose registries of IANA (RFC 6890): each network and its
 * prefix.
 */
const SPECIAL_IPV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];
/**
 * All but the global unicast addresses (2000::/3), and what among those leads into another network or is for examples.
 */
const SPECIAL_IPV6 = ["::/3", "4000::/2", "8000::/1", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"];
/**
 * Addresses of the public ranges where clouds serve their own machines and no others: Azure's platform (agent, DNS,
 * health), IBM's service endpoints, Google's APIs for private networks. Other clouds use link-local or private
 * addresses.
 */
const CLOUD_SERVICES = [
  "168.63.129.16/32",
  "161.26.0.0/16",
  "166.8.0.0/14",
  "199.36.153.4/30",
  "199.36.153.8/30",
  "2600:2d00:2:1000::/56",
  "2600:2d00:2:2000::/56",
];
const LOOPBACK = ["127.0.0.0/8", "::1/128"];

const RANGE = /^([0-9a-f.:]+)\/(\d{1,3})$/i;

/** Networks of IPv4 and IPv6 addresses. */
export class AddressRanges {
  /** Apart: to one list an IPv4 address is its mapped IPv6 address, too. */
  private readonly networks = { ipv4: new BlockList(), ipv6: new BlockList() };

  /** @param ranges each as {@link isAddressRange} wants it */
  constructor(ranges: readonly string[]) {
    for (const range of ranges) addRange(this.networks[familyOf(range)], range);
  }

  /** @param address as a resolver gives it, with a zone or without */
  holds(address: string): boolean {
    const family = familyOf(address);
    return this.networks[family].check(address.replace(/%.*$/, ""), family);
  }
}

const SPECIAL = new AddressRanges([...SPECIAL_IPV4, ...SPECIAL_IPV6, ...CLOUD_SERVICES]);
/** This machine. */
export const LOOPBACK_ADDRESSES = new AddressRanges(LOOPBACK);

/**
 * Whether an IP address is one of the public internet: neither private nor link-local nor loopback, and none where a
 * cloud serves its own machines.
 */
export function isPublicAddress(address: string): boolean {
  return !SPECIAL.holds(address);
}

/** Whether a text is a network such as `10.0.0.0/8` or `fd00::/8`. */
export function isAddressRange(text: string): boolean {
  try {
    addRange(new BlockList(), text);
    return true;
  } catch {
    return false;
  }
}

/** @throws where it is no network */
function addRange(networks: BlockList, range: string): void {
  const [, network = "", prefix] = RANGE.exec(range) ?? [];
  networks.addSubnet(network, Number(prefix), familyOf(network));
}

function familyOf(text: string): "ipv4" | "ipv6" {
  return text.includes(":") ? "ipv6" : "ipv4";
}
