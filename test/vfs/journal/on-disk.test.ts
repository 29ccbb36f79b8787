// What a database file declares about its journal mode, from real files and hand-made ones.

import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { makeHost } from '../../../adapters/node/flavour.ts';
import { Errnos } from '../../../vfs/errno.ts';
import type { Host } from '../../../vfs/host.ts';
import { journalOnDisk } from '../../../vfs/journal/on-disk.ts';
import { flavour } from '../../core/engine/engines.ts';
import { openSync } from '../../support/runtimes.ts';
import { tempPath } from '../../support/temp-folder.ts';

const host = makeHost(flavour);
const errnos = new Errnos(host.platform);

function declared(file: string, through: Host = host) {
  const fd = fs.openSync(file, 'r');
  try {
    return journalOnDisk(through, errnos, fd, file);
  } finally {
    fs.closeSync(fd);
  }
}

function database(journal: 'wal' | 'delete'): string {
  const file = tempPath();
  const db = openSync(file, { journal });
  db.exec('CREATE TABLE t (x)');
  db.close();
  return file;
}

describe('what a file declares', () => {
  it('is the journal mode of its header', () => {
    expect(declared(database('wal'))).toBe('wal');
    expect(declared(database('delete'))).toBe('rollback');
  });

  it('is fresh without a page and without data in a sidecar', () => {
    const file = tempPath();
    fs.writeFileSync(file, '');
    expect(declared(file)).toBe('fresh');
    fs.writeFileSync(`${file}-wal`, '');
    fs.writeFileSync(`${file}-journal`, '');
    expect(declared(file)).toBe('fresh');
    fs.writeFileSync(`${file}-journal`, 'x'.repeat(600));
    expect(declared(file)).toBe('begun');
    fs.writeFileSync(`${file}-wal`, 'x'.repeat(600));
    expect(declared(file)).toBe('orphan-wal');
  });

  it('is foreign for what is no database', () => {
    const file = tempPath();
    for (const bytes of ['x', 'x'.repeat(200), '\0'.repeat(4096), `SQLite format 3\0${'\x05'.repeat(200)}`]) {
      fs.writeFileSync(file, bytes);
      expect(declared(file)).toBe('foreign');
    }
  });

  it('is read again after an I/O error, and unknown only if that stays', () => {
    const file = database('wal');
    let failures = 3;
    const flaky: Host = Object.create(host);
    flaky.sleep = () => {};
    flaky.read = (...call) => (failures-- > 0 ? -errnos.number('EIO') : host.read(...call));
    expect(declared(file, flaky)).toBe('wal');
    failures = 4;
    expect(declared(file, flaky)).toBe('unknown');
  });
});
