// Exit statuses of the command.

/**
 * `failure` of a command that looks: findings that need action. Of one that acts: it failed, or refused. `usage`: it was called
 * wrongly, or could not tell.
 */
export const EXIT = { ok: 0, failure: 1, usage: 2 } as const;
