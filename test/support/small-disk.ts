/** A small disk in memory, to be filled. */
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";

/** System programs that mount and unmount disks. */
const PROGRAMS = { mount: "mount", unmount: "umount" };

export interface SmallDisk extends Disposable {
  readonly path: string;
  /** The reason if this machine does not allow a mount. */
  readonly reason?: string | undefined;
}

/** Mounts a disk at an unused path. */
export function mountDisk(path: string, bytes: number): SmallDisk {
  mkdirSync(path);
  const args = ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", path];
  const { status, stderr } = spawnSync(PROGRAMS.mount, args, { encoding: "utf8" });
  const reason = status === 0 ? undefined : `A small disk cannot be mounted here: ${stderr}`;
  return { path, reason, [Symbol.dispose]: () => void spawnSync(PROGRAMS.unmount, ["-l", path]) };
}
