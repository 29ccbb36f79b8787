// A mistake in how the command was called: it ends with the exit status for wrong usage.

export class CallError extends Error {}
