// The error that a call ends with, which must be one of ours.

import { expect } from 'vitest';
import { HoldfastError } from '../../core/error.ts';

export function failure(run: () => unknown): HoldfastError {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(HoldfastError);
    return error as HoldfastError;
  }
  throw new Error('should have failed');
}
