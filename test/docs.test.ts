// The examples in the README and in docstrings are programs, and they run.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { bundleUrl, isBun } from './support/runtimes.ts';
import { tempFolder } from './support/temp-folder.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

function examplesIn(file: string): { name: string; code: string }[] {
  const text = fs.readFileSync(path.join(root, file), 'utf8');
  // In a docstring each line begins with an asterisk.
  const plain = file.endsWith('.ts') ? text.replace(/^ *\* ?/gm, '') : text;
  return [...plain.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map((match, index) => ({
    name: `${file} #${index + 1}`,
    code: match[1] as string,
  }));
}

const sources = ['vfs', 'core', 'adapters'].flatMap((room) =>
  fs
    .readdirSync(path.join(root, room), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join(room, name)),
);
const examples = ['README.md', ...sources].flatMap(examplesIn);

describe('the examples', () => {
  it('are found', () => {
    expect(examples.length).toBeGreaterThanOrEqual(2);
  });

  it.each(examples)('of $name run', ({ code }) => {
    const folder = tempFolder();
    const program = path.join(folder, 'example.mjs');
    fs.writeFileSync(program, code.replaceAll("'holdfast'", JSON.stringify(bundleUrl(isBun ? 'bun' : 'node'))));
    execFileSync(process.execPath, [program], { cwd: folder, stdio: 'pipe' });
  });
});
