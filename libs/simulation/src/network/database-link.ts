import type { Link } from "@tickwheel/testing";
import type { Inlet } from "../time/simulated-loop.js";
import type { SimulatedLink } from "./simulated-link.js";

/**
 * The link of one node's thread to Postgres, over the network that all connections of the node share.
 *
 * @example database.connect(label, { link: databaseLink(network, clock), clock })
 */
export function databaseLink(network: SimulatedLink, inlet: Inlet): Link {
  return {
    toDatabase: () => new Promise((resolve) => network.carry("out", null, resolve)),
    toNode: () => new Promise((resolve) => network.carry("in", null, () => inlet.deliver(resolve))),
  };
}
