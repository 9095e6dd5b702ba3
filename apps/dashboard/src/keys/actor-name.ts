import { api, session } from "../session/session.js";
import { KeyNames } from "./key-names.js";

/** The names of keys on this page. */
export const keyNames = new KeyNames({ session, read: () => api.keys.newest() });

/** What somebody is called who did something. */
export const actorName = (actor: string): string => keyNames.of(actor);
