// The command `holdfast doctor`: gathers, mends if asked, judges, prints.

import { diagnose } from '../../../core/doctor/diagnose.ts';
import { examine, type Facts, isHeld, type Target } from '../../../core/doctor/examine.ts';
import { fix, needsFix } from '../../../core/doctor/fix.ts';
import { type Line, lineOf } from '../../../core/doctor/line.ts';
import type { MachineEngine } from '../../../core/doctor/machine-engine.ts';
import { Opener } from '../../../core/doctor/opens.ts';
import { secondLook } from '../../../core/doctor/second-look.ts';
import type { HolderReport } from '../../../vfs/holders/holder.ts';
import { scanHolders } from '../../../vfs/holders/scan.ts';
import type { Host } from '../../../vfs/host.ts';
import { EXIT } from '../exit.ts';
import { jsonDocument } from '../output/document.ts';
import { failureDocument } from '../output/failure-document.ts';
import { stdout } from '../output/output.ts';
import { reportFailure } from '../report.ts';
import { loadEngine, loadHost, loadRuntime } from '../runtime.ts';
import { findEngines } from './engines.ts';
import { type Examined, engineLines, printReport, reportDocument } from './report.ts';
import { targetsOf } from './targets.ts';

export interface DoctorOptions {
  home?: string;
  profile?: string;
  fix?: boolean;
  json?: boolean;
}

/** Answers the exit status. What fails as a whole could not be told, and is no finding. */
export async function runDoctor(paths: readonly string[], options: DoctorOptions): Promise<number> {
  try {
    return await examineAndTell(paths, options);
  } catch (error) {
    const document = failureDocument(error);
    if (document === undefined) throw error;
    if (options.json) stdout.write(document);
    else await reportFailure(error);
    return EXIT.usage;
  }
}

async function examineAndTell(paths: readonly string[], options: DoctorOptions): Promise<number> {
  const host = await loadHost();
  const { targets, configs, findings } = await targetsOf(host, paths, options);
  // Asked while the files are looked at.
  const asked = findEngines();
  let facts = examineAll(host, targets);
  const done = new Map<string, Line[]>();
  if (options.fix) {
    const fixable = facts.filter((each) => needsFix(host, each));
    if (fixable.length > 0) {
      const runtime = await loadRuntime();
      for (const each of fixable) done.set(each.path, fix(runtime, each));
      facts = examineAll(host, targets);
    }
  }
  const engines = await asked;
  const databases = await judgeAll(host, facts, engines, done);
  // Of a folder that could not be looked into nothing is known, as of a file that could not.
  const folders = findings.map((finding): Line => ({ ...lineOf(finding.path, finding), weight: 'unknown' }));
  const config = [...folders, ...configs.flatMap((each) => each.findings).map((finding) => lineOf(finding.path, finding))];
  const report = { databases, engines: engineLines(engines), config };
  stdout.write(options.json ? jsonDocument(reportDocument(report, engines)) : printReport(report));
  return statusOf([...config, ...databases.flatMap(({ lines }) => lines)]);
}

function examineAll(host: Host, targets: readonly Target[]): Facts[] {
  const holders = scanHolders(
    host,
    targets.map(({ path }) => path),
  );
  return targets.map((target) => examine(host, target, holders.get(target.path) as HolderReport));
}

async function judgeAll(host: Host, facts: Facts[], engines: MachineEngine[], done: Map<string, Line[]>): Promise<Examined[]> {
  let opener: Opener | undefined;
  const judge = async (each: Facts) => {
    const isQuiet = each.header.ok && !isHeld(each.holders);
    if (isQuiet) opener ??= new Opener(await loadEngine(), host);
    return diagnose(each, { now: host.now(), engines, opening: isQuiet ? opener?.tryOpen(each.path) : undefined });
  };
  const examined: Examined[] = [];
  for (const first of facts) {
    const { facts: each, lines } = await secondLook(host, { facts: first, lines: await judge(first) }, judge);
    examined.push({ facts: each, lines: [...(done.get(first.path) ?? []), ...lines] });
  }
  return examined;
}

function statusOf(lines: readonly Line[]): number {
  if (lines.some(({ weight }) => weight === 'warning' || weight === 'error')) return EXIT.failure;
  return lines.some(({ weight }) => weight === 'unknown') ? EXIT.usage : EXIT.ok;
}
