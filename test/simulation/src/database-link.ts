import { type Inlet, type SimulatedLink } from "@tickwheel/simulation";
import { type Link } from "@tickwheel/testing";

/** The link of one node's thread to Postgres, over the network that all connections of the node share. */
export function databaseLink(network: SimulatedLink, inlet: Inlet): Link {
  return {
    toDatabase: () => new Promise((resolve) => network.carry("out", null, resolve)),
    toNode: () => new Promise((resolve) => network.carry("in", null, () => inlet.deliver(resolve))),
  };
}
