// A finding as the command tells it: one line on standard error.

import { findingText } from '../../../core/database/findings.ts';
import type { Finding } from '../../../vfs/finding.ts';
import { escapeLine } from './escape.ts';
import { stderr } from './output.ts';

export function tellFinding(finding: Finding): void {
  stderr.write(`holdfast: ${escapeLine(findingText(finding))}\n`);
}
