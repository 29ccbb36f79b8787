// Adds up the test runs that CI has left: one line, "N passed, N failed, N skipped", and an exit code of 1 if any failed.

import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = path.join(path.dirname(path.dirname(fileURLToPath(import.meta.url))), 'node_modules', '.cache', 'holdfast-tests');
const runs = fs.readdirSync(folder).map((name) => ({ name, ...JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8')) }));
const total = (key) => runs.reduce((sum, run) => sum + run[key], 0);

for (const run of runs) {
  const skipped = run.testResults
    .flatMap((file) => file.assertionResults)
    .filter((test) => test.status === 'pending' || test.status === 'skipped');
  console.log(`${run.name}: ${run.numPassedTests} passed, ${run.numFailedTests} failed, ${skipped.length} skipped`);
  for (const test of skipped) console.log(`  skipped: ${test.fullName}`);
}
console.log(`${total('numPassedTests')} passed, ${total('numFailedTests')} failed, ${total('numPendingTests')} skipped`);
process.exitCode = total('numFailedTests') === 0 && total('numPassedTests') > 0 ? 0 : 1;
