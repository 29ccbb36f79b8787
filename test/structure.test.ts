// The house keeps its order: imports run adapters → core → vfs, and the two lower rooms know no runtime.

import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
/** What each room may import from. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  vfs: ['vfs'],
  core: ['core', 'vfs'],
  adapters: ['adapters', 'core', 'vfs'],
};

interface Source {
  file: string;
  room: string;
  text: string;
  imports: string[];
}

function sourcesOf(room: string): Source[] {
  return fs
    .readdirSync(path.join(root, room), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => {
      const file = path.join(room, name);
      const text = fs.readFileSync(path.join(root, file), 'utf8');
      const imports = [...text.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)['"]([^'"]+)['"]/g)].map(
        (match) => match[1] as string,
      );
      return { file, room, text, imports };
    });
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');
}

const lower = [...sourcesOf('vfs'), ...sourcesOf('core')];
const all = [...lower, ...sourcesOf('adapters')];

describe('the structure', () => {
  it('is looked at whole', () => {
    expect(all.length).toBeGreaterThan(40);
    expect(all.flatMap((source) => source.imports).length).toBeGreaterThan(100);
  });

  it.each(all.map((source) => [source.file, source] as const))(
    '%s imports only from rooms below',
    (_, { file, room, imports }) => {
      const rooms = imports
        .filter((target) => target.startsWith('.'))
        .map((target) => path.relative(root, path.resolve(root, path.dirname(file), target)).split(path.sep)[0]);
      for (const target of rooms) expect(ALLOWED[room]).toContain(target);
    },
  );

  it.each(lower.map((source) => [source.file, source] as const))('%s imports no runtime and no package', (_, { imports }) => {
    expect(imports.filter((target) => !target.startsWith('.'))).toEqual([]);
  });

  it.each(lower.map((source) => [source.file, source] as const))('%s uses no global of a runtime', (_, { text }) => {
    const used = withoutComments(text).match(
      /\b(?:(?:process|Buffer|Bun|Deno|globalThis)\s*[.([]|__dirname\b|setImmediate\b|import\.meta\b)/g,
    );
    expect(used).toBeNull();
  });

  it.each(all.map((source) => [source.file, source] as const))('%s says in its first line what it owns', (_, { text }) => {
    expect(text.replace(/^#!.*\n/, '')).toMatch(/^\/\/ [A-Z`<].{20,}/);
  });
});
