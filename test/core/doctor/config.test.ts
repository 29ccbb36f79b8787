// The database section of a config.yaml: every key, every kind of wrong value.

import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readDatabaseConfig } from '../../../core/doctor/config.ts';

function read(yaml: string) {
  const { journalMode, settings, findings } = readDatabaseConfig(parse(yaml, { version: '1.1' }), '/home/config.yaml');
  return { journalMode, settings, codes: findings.map(({ code }) => code), text: findings.map(({ message }) => message).join() };
}

describe('the database section', () => {
  it.each([
    ['nothing at all', ''],
    ['no such section', 'model: x'],
    ['an empty section', 'database:'],
    ['a key without a value', 'database:\n  journal_mode:'],
    ['a document that is a list', '- a\n- b'],
  ])('%s configures nothing, and is no finding', (_, yaml) => {
    expect(read(yaml)).toMatchObject({ journalMode: undefined, settings: {}, codes: [] });
  });

  it.each([
    ['wal', 'wal'],
    ['delete', 'delete'],
    ['DELETE', 'delete'],
    ['" Wal "', 'wal'],
  ])('journal_mode: %s', (value, mode) => {
    expect(read(`database:\n  journal_mode: ${value}`)).toMatchObject({ journalMode: mode, codes: [] });
  });

  it.each(['truncate', 'off', '3', 'yes', '[wal]', '{a: 1}'])('journal_mode: %s is an error, and not WAL', (value) => {
    const { journalMode, codes } = read(`database:\n  journal_mode: ${value}`);
    expect(journalMode).toBeUndefined();
    expect(codes).toEqual(['config-invalid-value']);
  });

  it.each([
    ['OFF', 'OFF'],
    ['off', 'OFF'],
    ['false', 'OFF'],
    ['NORMAL', 'NORMAL'],
    ['full', 'FULL'],
    ['EXTRA', 'EXTRA'],
    ['0', 'OFF'],
    ['3', 'EXTRA'],
    ['"2"', 'FULL'],
  ])('synchronous: %s is %s', (value, level) => {
    expect(read(`database:\n  synchronous: ${value}`)).toMatchObject({ settings: { synchronous: level }, codes: [] });
  });

  it.each(['true', 'on', '4', '-1', '1.5', 'fast'])('synchronous: %s is rejected', (value) => {
    expect(read(`database:\n  synchronous: ${value}`)).toMatchObject({ settings: {}, codes: ['config-invalid-value'] });
  });

  it.each(['cache_size', 'mmap_size', 'temp_store', 'wal_autocheckpoint', 'journal_size_limit'])(
    '%s is a whole number',
    (key) => {
      expect(read(`database:\n  ${key}: -2000`)).toMatchObject({ settings: { [key]: -2000 }, codes: [] });
      for (const wrong of ['1.5', 'big', 'true', '[1]', '.inf'])
        expect(read(`database:\n  ${key}: ${wrong}`)).toMatchObject({ settings: {}, codes: ['config-invalid-value'] });
    },
  );

  it('names an unknown key, and the known ones', () => {
    const { codes, text } = read('database:\n  journalmode: delete\n  cache_size: 10');
    expect(codes).toEqual(['config-unknown-key']);
    expect(text).toContain('journalmode');
  });

  it('names the first few unknown keys, and counts the others', () => {
    const keys = Array.from({ length: 2000 }, (_, index) => `  k${index}: 1\n`).join('');
    const { codes, text } = read(`database:\n${keys}  ${'x'.repeat(900)}: 1\n`);
    expect(codes).toEqual(Array(6).fill('config-unknown-key'));
    expect(text).toContain('database.k4 is not');
    expect(text).toContain('1996 more settings');
    expect(read(`database:\n  ${'x'.repeat(900)}: 1\n`).text.length).toBeLessThan(200);
  });

  it('a section that is no mapping has no effect, and says so', () => {
    expect(read('database: delete').codes).toEqual(['config-invalid-value']);
    expect(read('database: [journal_mode, delete]').codes).toEqual(['config-invalid-value']);
  });
});
