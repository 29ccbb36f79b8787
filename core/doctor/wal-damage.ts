// What lies behind the last valid frame of a log that nobody uses: the rest of a damaged log, or nothing that counts.
//
// Frames left from before the log was begun anew have other salts. Frames with the log's own salts are also left by a transaction
// that was rolled back or cut short; but then none of them ends a transaction.

import type { Host } from '../../vfs/host.ts';
import { FRAME_HEADER_BYTES, WAL_HEADER_BYTES, type WalHeader } from './wal-file.ts';

const BLOCK_BYTES = 1 << 20;

/** The last frame behind the first `validFrames` that has the log's salts and ends a transaction; 0 if there is none. */
export function lastCommitBehind(host: Host, fd: number, header: WalHeader, validFrames: number, limit: number): number {
  const frameBytes = FRAME_HEADER_BYTES + header.pageSize;
  const atOnce = Math.max(1, Math.floor(BLOCK_BYTES / frameBytes));
  const most = Math.floor(limit / frameBytes);
  const block = new Uint8Array(atOnce * frameBytes);
  const view = new DataView(block.buffer);
  let last = 0;
  for (let frame = validFrames; frame < most; frame += atOnce) {
    const got = host.read(fd, block, 0, block.length, WAL_HEADER_BYTES + frame * frameBytes);
    // A header of the last frame counts even if its page was cut off.
    for (let index = 0; index * frameBytes + FRAME_HEADER_BYTES <= got; index++)
      if (endsTransaction(view, index * frameBytes, header)) last = frame + index + 1;
    if (got < block.length) break;
  }
  return last;
}

function endsTransaction(view: DataView, at: number, { salts }: WalHeader): boolean {
  const isOfThisLog = view.getUint32(at + 8) === salts[0] && view.getUint32(at + 12) === salts[1];
  return isOfThisLog && view.getUint32(at) !== 0 && view.getUint32(at + 4) !== 0;
}
