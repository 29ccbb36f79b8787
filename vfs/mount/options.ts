// Mount options that change what is to be said of a mount.

import type { Mount } from './mountinfo.ts';

/** Splits at commas, but not at an escaped one, as in `upperdir=/a\,b`. */
export function optionsOf(mount: Mount): string[] {
  return mount.options.match(/(?:\\[\s\S]|[^,\\])+/g) ?? [];
}

/** The value of `name=…`, its octal and backslash escapes decoded once; undefined if it is not there. */
export function optionValue(mount: Mount, name: string): string | undefined {
  const option = optionsOf(mount).find((text) => text.startsWith(`${name}=`));
  return option
    ?.slice(name.length + 1)
    .replace(/\\(?:([0-3][0-7]{2})|([\s\S]))/g, (_, octal: string | undefined, character: string) =>
      octal === undefined ? character : String.fromCharCode(Number.parseInt(octal, 8)),
    );
}

/** What makes locks stay on this machine, by type: nfs(5), mount.cifs(8), mount.lustre(8). */
const LOCAL_LOCKS: Readonly<Record<string, readonly string[]>> = {
  nfs: ['nolock', 'local_lock=all', 'local_lock=posix'],
  nfs4: ['nolock', 'local_lock=all', 'local_lock=posix'],
  cifs: ['nobrl'],
  smb3: ['nobrl'],
  lustre: ['localflock'],
};

/** The option because of which no lock leaves this machine, so that no journal mode excludes other machines. */
export function localLockOption(type: string, mount: Mount): string | undefined {
  const names = LOCAL_LOCKS[type];
  return names && optionsOf(mount).find((option) => names.includes(option));
}

/**
 * gVisor shows its own files as 9p with options that Linux never shows: its 9p has rfd= and wfd=.
 * Source: gvisor.dev/docs/user_guide/filesystem.
 */
export function isGvisor(type: string, mount: Mount): boolean {
  return type === '9p' && optionsOf(mount).some((option) => /^(?:[rw]fdno=|directfs$)/.test(option));
}

/** A drive of Windows in WSL 2. */
export function isWindowsDrive(mount: Mount): boolean {
  return optionsOf(mount).some((option) => option === 'aname=drvfs' || option.startsWith('aname=drvfs;'));
}
