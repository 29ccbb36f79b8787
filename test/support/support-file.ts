// Where the scripts lie that child processes and workers run.

import { fileURLToPath } from 'node:url';

export function supportFile(name: string): string {
  return fileURLToPath(new URL(`./${name}`, import.meta.url));
}
