// What differs on Bun: its host, and a memory that must not grow.

import type { Flavour } from '../node/flavour.ts';
import { BunHost } from './host.ts';

export const bunFlavour: Flavour = {
  makeHost: (libc, platform) => new BunHost(libc, platform),
  // JavaScriptCore moves a memory when it grows, and files are mapped into ours.
  fixedMemory: true,
};
