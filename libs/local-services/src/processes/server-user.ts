import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** The account a server runs as when we are root. */
export interface ServerUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/**
 * Who runs Postgres, which refuses root: as root the account `postgres`, or else `nobody`; otherwise (undefined)
 * ourselves.
 * @param passwd the text of `/etc/passwd`
 */
export function chooseServerUser(ownUid: number | undefined, passwd: string): ServerUser | undefined {
  if (ownUid !== 0) return undefined;
  const accounts = passwd.split("\n").map((line) => line.split(":"));
  for (const wanted of ["postgres", "nobody"]) {
    const [name, , uid, gid] = accounts.find(([account]) => account === wanted) ?? [];
    if (name && Number(uid) > 0) return { name, uid: Number(uid), gid: Number(gid) };
  }
  return { name: "nobody", uid: 65534, gid: 65534 };
}

/** The account for servers that we start on this machine. */
export function serverUser(): ServerUser | undefined {
  return chooseServerUser(process.getuid?.(), process.getuid?.() === 0 ? readFileSync("/etc/passwd", "utf8") : "");
}

/** Whether `user` may enter a folder with this owner and mode. */
export function mayEnter(folder: { uid: number; gid: number; mode: number }, user: ServerUser): boolean {
  if (folder.uid === user.uid) return (folder.mode & 0o100) !== 0;
  if (folder.gid === user.gid) return (folder.mode & 0o010) !== 0;
  return (folder.mode & 0o001) !== 0;
}

/** Whether `user` may enter `path` and every folder above it. `path` must exist and hold no symbolic link. */
export function mayReach(path: string, user: ServerUser): boolean {
  const parent = dirname(path);
  return mayEnter(statSync(path), user) && (parent === path || mayReach(parent, user));
}
