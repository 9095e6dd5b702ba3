// A node goes on with the tokens that it was granted, however many tasks it has started with them.
import { libraryModule, replaceMethod } from "../replacing.mjs";

export const says = "a start takes no token";
export const breaks = ["rate-kept"];

export async function plant() {
  const { TokenLeases } = await libraryModule("engine/limits/token-leases.js");
  replaceMethod(TokenLeases, "spend", () => () => {});
}
