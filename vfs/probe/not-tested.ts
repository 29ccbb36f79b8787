// What a probe does not show, said plainly with each of its reports.

import type { Evidence } from './verdict.ts';

export function notTested({ mode, exchange, ended }: Evidence): string[] {
  if (ended && !exchange) return [mode === 'peer' ? 'everything that takes two sides' : 'everything that takes two processes'];
  if (mode === 'one-side')
    return [
      'what crosses to another machine, guest or container that shares this folder: run with --peer on both sides at once',
      ...ALWAYS,
    ];
  const finished = exchange?.mapping !== undefined;
  return [
    ...(finished ? [] : ['what is missing above: the trials did not come to their end']),
    'two processes on one and the same side: run `holdfast probe DIR` on each side',
    'a third side',
    ...ALWAYS,
  ];
}

const ALWAYS = [
  'the POSIX locks of native SQLite: the locks tried were open file description locks, which exclude POSIX locks within one kernel',
  'whether synced bytes survive a crash or a power cut',
  'faults that show only under load or after hours',
];
