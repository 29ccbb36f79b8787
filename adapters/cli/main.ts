#!/usr/bin/env node
// The holdfast command: runs the program and leaves with its exit status.

import { runProgram } from './program.ts';

// Output is written synchronously, so nothing is cut off, and the process may end by itself.
process.exitCode = await runProgram(process.argv.slice(2));
