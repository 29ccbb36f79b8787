// What lies around a database and can hurt it: modes and owners, links, its folder, free space, what else lies beside it.

import { Errnos } from '../../vfs/errno.ts';
import type { Finding, Severity } from '../../vfs/finding.ts';
import type { FileStatus, Host } from '../../vfs/host.ts';
import { directoryOf, resolvePath } from '../../vfs/paths.ts';
import { shellWord } from '../../vfs/shell-word.ts';
import { strangersBeside } from './beside.ts';
import { isLink, statusUnfollowed } from './read-file.ts';

export interface SurroundingsQuestion {
  /** A store of transcripts, which is nobody else's business: it is then said how to close it. Default false. */
  readonly private?: boolean;
  /** Somebody has the database open, so that a journal is his and no remains. Default false. */
  readonly held?: boolean;
}

/** What SQLite writes beside a database, by whose mode and owner others are let in or shut out. */
const SIDECARS = ['-wal', '-shm', '-journal'] as const;
const READ_WRITE = 0o666;
const READ_BY_OTHERS = 0o004;
const READ_BY_GROUP = 0o040;
const ENTER_BY_OTHERS = 0o001;
const ENTER_BY_GROUP = 0o010;
const MIB = 1 << 20;
/** A checkpoint and a rollback journal want about this much of the database; less than the floor is too little for anything. */
const SPACE_SHARE = 1 / 10;
const SPACE_FLOOR = 64 * MIB;
const SPACE_MINIMUM = 16 * MIB;

/** `path` as it was given; it need not exist. Looks by stat(2) alone, but for the first bytes of a journal. Changes nothing. */
export function examineSurroundings(host: Host, path: string, question: SurroundingsQuestion = {}): Finding[] {
  const resolved = resolvePath(host, new Errnos(host.platform), path);
  if (typeof resolved === 'number') return [];
  const main = host.status(resolved);
  const found = new Collection(resolved);
  sidecarLinks(host, resolved, found);
  if (typeof main !== 'number' && main.type === 'file') {
    links(host, path, resolved, main, found);
    modes(host, resolved, main, question.private ?? false, found);
    sidecars(host, resolved, main, found);
    folder(host, resolved, found);
    space(host, resolved, main, found);
  }
  strangersBeside(host, resolved, typeof main === 'number' ? undefined : main, question.held ?? false, found);
  return found.findings;
}

/** The findings on one database. */
export class Collection {
  readonly findings: Finding[] = [];
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  add(severity: Severity, code: string, message: string, remedy?: string): void {
    this.findings.push({ severity, code, path: this.path, message, ...(remedy === undefined ? {} : { remedy }) });
  }
}

function links(host: Host, given: string, path: string, main: FileStatus, found: Collection): void {
  if (typeof host.readLink(given) === 'string')
    found.add('info', 'symbolic-link', `${given} is a symbolic link; the database and its sidecars are at ${path}`);
  if (main.links > 1)
    found.add(
      'error',
      'hard-links',
      `the file has ${main.links} names (hard links); SQLite finds a WAL or journal by name, so programs that use different names overwrite each other`,
      `keep one name: find the others with find MOUNT -samefile ${shellWord(path)}, stop what uses them, and remove them`,
    );
}

function modes(host: Host, path: string, main: FileStatus, isPrivate: boolean, found: Collection): void {
  const others = (main.mode & READ_BY_OTHERS) !== 0 && reachable(host, path, ENTER_BY_OTHERS);
  const group = (main.mode & READ_BY_GROUP) !== 0 && reachable(host, path, ENTER_BY_GROUP);
  if (!others && !group) return;
  found.add(
    'info',
    'readable-by-others',
    `${others ? 'every user of this machine' : `the group ${main.gid}`} can read it (mode ${octal(main.mode)})`,
    isPrivate ? `chmod 600 ${shellWord(path)}, and the same for its -wal and -shm; doctor --fix does it` : undefined,
  );
}

/** Whether a class of users can pass all the folders above. */
function reachable(host: Host, path: string, enter: number): boolean {
  for (let folder = directoryOf(path); ; folder = directoryOf(folder)) {
    const status = host.status(folder);
    if (typeof status !== 'number' && (status.mode & enter) === 0) return false;
    if (folder === '/' || folder === '.') return true;
  }
}

/** SQLite opens a sidecar with O_NOFOLLOW, and so does Holdfast (https://sqlite.org/src/file/src/os_unix.c). */
function sidecarLinks(host: Host, path: string, found: Collection): void {
  for (const file of linkedSidecars(host, path))
    found.add(
      'error',
      'sidecar-symbolic-link',
      `${file} is a symbolic link, which SQLite does not follow: the next program that needs it cannot open the database`,
      file.endsWith('-shm')
        ? `when nobody uses the database, remove the link: rm ${shellWord(file)}`
        : `when nobody uses the database, copy away what the link leads to; if that is its own ${file.slice(path.length + 1)}, put it in the place of the link`,
    );
}

/** The sidecars that are symbolic links, whether or not they lead anywhere. */
export function linkedSidecars(host: Host, path: string): string[] {
  return SIDECARS.map((suffix) => path + suffix).filter((file) => isLink(host, file));
}

function sidecars(host: Host, path: string, main: FileStatus, found: Collection): void {
  for (const suffix of SIDECARS) {
    const file = path + suffix;
    const status = statusUnfollowed(host, file);
    if (typeof status === 'number') continue;
    if (status.type !== 'file') {
      found.add('error', 'sidecar-not-a-file', `${file} is not a regular file, so the database cannot be used`, `move it away`);
      continue;
    }
    if (status.links > 1)
      found.add('error', 'sidecar-hard-links', `${file} has ${status.links} names (hard links): two databases would share it`);
    const missing = main.mode & READ_WRITE & ~status.mode;
    const foreign = status.uid !== main.uid;
    if (missing === 0 && !foreign) continue;
    const what = foreign
      ? `${file} belongs to user ${status.uid}, the database to user ${main.uid}`
      : `${file} has mode ${octal(status.mode)}, the database ${octal(main.mode)}`;
    // Mode 666 lets everybody in, whoever owns it.
    if (foreign && missing === 0 && (status.mode & READ_WRITE) === READ_WRITE) continue;
    const forUs = host.access(path, 'write') >= 0 && host.access(file, 'write') < 0;
    found.add(
      forUs ? 'error' : 'warning',
      foreign ? 'sidecar-other-owner' : 'sidecar-less-accessible',
      `${what}: ${forUs ? 'we' : 'other users of the database'} cannot write it, so the database cannot be used`,
      `when nobody uses the database: chown ${main.uid}:${main.gid} ${shellWord(file)} && chmod ${octal(main.mode)} ${shellWord(file)}`,
    );
  }
}

function folder(host: Host, path: string, found: Collection): void {
  const directory = directoryOf(path);
  if (host.access(directory, 'write') >= 0) return;
  const fileToo = host.access(path, 'write') < 0;
  found.add(
    fileToo ? 'info' : 'error',
    'folder-not-writable',
    fileToo
      ? `neither it nor its folder ${directory} can be written by this user`
      : `its folder ${directory} cannot be written by this user, so SQLite cannot make a journal or a WAL there: every write fails`,
    fileToo ? undefined : `give this user write permission on ${shellWord(directory)}, or run as the user who has it`,
  );
}

function space(host: Host, path: string, main: FileStatus, found: Collection): void {
  const system = host.fileSystem(path);
  if (typeof system === 'number') return;
  const log = statusUnfollowed(host, `${path}-wal`);
  const wanted = Math.max(SPACE_FLOOR, (typeof log === 'number' ? 0 : log.size) + Math.ceil(main.size * SPACE_SHARE));
  const { freeBytes } = system;
  if (freeBytes >= wanted) return;
  const exhausted = freeBytes < SPACE_MINIMUM;
  found.add(
    exhausted ? 'error' : 'warning',
    exhausted ? 'disk-full' : 'disk-space-low',
    `${mebibytes(freeBytes)} are free on its file system; a checkpoint and a large transaction may need ${mebibytes(wanted)}`,
    'make room, or move the database to a larger file system while nobody uses it',
  );
}

function mebibytes(bytes: number): string {
  return `${(bytes / MIB).toFixed(bytes < 10 * MIB ? 1 : 0)} MiB`;
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}
