// What `holdfast mount` takes: its arguments and options.

import type { DefineCommand } from '../define.ts';
import type { MountOptions } from './command.ts';

const HELP = `
PATH is a database, its folder, or a path that does not exist yet. Looking opens no file and changes nothing.

Classes
  native    a file system of this kernel: WAL is safe
  cross-vm  shared with another kernel (virtiofs, 9p, a desktop's shared folder): no lock crosses, WAL is not safe
  network   a file server or a cluster (nfs, cifs, ceph, sshfs, an object store): WAL is not safe
  fuse      any other FUSE file system: not proven, so WAL is not used
  unknown   could not be found out, or a type that Holdfast does not know

With --mountinfo the table of another machine or container is judged, from a file or (-) from standard input. Then nothing
on this machine is looked at: PATH is taken as it is written, links are not followed, and a name that ends in .db, .db3,
.sqlite or .sqlite3 is taken for a file.

--json: { path, resolved, mountPoint, fsType, source, options, class, walSafe, fileIsMountPoint, reason, remedy }.
All are there always. mountPoint, fsType, source and options are null where no mount was found, remedy where there is
nothing to do; options are those of the mount, then those of the file system, separated by commas.

Exit status: 0 native, and WAL is safe; 1 another class, or the file itself is a mount point; 2 unknown, or called wrongly.

Examples
  holdfast mount app.db
  docker exec CONTAINER cat /proc/self/mountinfo | holdfast mount /data --mountinfo -
`;

export const defineMount: DefineCommand = (program, end) => {
  program
    .command('mount')
    .description('say what file system a path stands on, and whether WAL is safe there')
    .usage('[options] [PATH]')
    .argument('[PATH]', 'what to look at (default: the working directory)')
    .option('--mountinfo <file>', 'judge by this mount table, a copy of some /proc/PID/mountinfo')
    .option('--json', 'print one JSON document')
    .addHelpText('after', HELP)
    .action(async (path: string | undefined, options: MountOptions) => {
      const { runMount } = await import('./command.ts');
      end(runMount(path, options));
    });
};
