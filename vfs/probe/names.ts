// The names by which probes know each other's folders: all that two sides tell each other before they talk.
//
// Names, and not contents: the caches of shared mounts show old bytes, and keep for ever that a name is missing. So a name
// is never looked up before a listing of its directory has shown it, and it is never used again.

/** All that a probe makes in the folder begins so. */
export const PREFIX = '.holdfast-probe-';
/** Where sides meet that know nothing of each other. The number is that of the protocol: others do not understand us. */
export const OPEN_MEETING = 'peer1';

export type ProbeName = { meeting: string } & (
  | { kind: 'beat'; id: string }
  | { kind: 'alone'; id: string }
  | { kind: 'pair'; lead: string; follower: string }
);

const ID = '[0-9a-f]{12}';
const PATTERN = new RegExp(`^\\${PREFIX}(peer\\d{1,4}|${ID})-(${ID})\\.(?:beat-\\d{1,9}|(alone)|with-(${ID}))$`);

/** Says that this side is alive, and looks for another. An empty folder, replaced by its successor again and again. */
export function beatName(meeting: string, id: string, number: number): string {
  return `${PREFIX}${meeting}-${id}.beat-${number}`;
}

/** The folder for what one side tries by itself. */
export function aloneName(meeting: string, id: string): string {
  return `${PREFIX}${meeting}-${id}.alone`;
}

/** The folder in which two sides talk. That it exists invites the follower. */
export function pairName(meeting: string, lead: string, follower: string): string {
  return `${PREFIX}${meeting}-${lead}.with-${follower}`;
}

export function parseName(name: string): ProbeName | undefined {
  const match = PATTERN.exec(name);
  if (!match) return undefined;
  const [, meeting, id, alone, follower] = match as unknown as [string, string, string, string?, string?];
  if (follower !== undefined) return { meeting, kind: 'pair', lead: id, follower };
  return { meeting, kind: alone === undefined ? 'beat' : 'alone', id };
}
