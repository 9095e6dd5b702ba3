/**
 * The version that all packages of this release have. A constant, and not read from a manifest: in a bundle the
 * manifest nearby is another program's. A test holds it to every `package.json`.
 */
export const TICKWHEEL_VERSION = "0.1.0";
