// How a command joins the program.

import type { Command } from 'commander';

/** Adds one command to `program`. `end` takes the exit status of a run; `argv` is what was typed, before parsing. */
export type DefineCommand = (program: Command, end: (status: number) => void, argv: readonly string[]) => void;
