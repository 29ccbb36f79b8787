// Work done in steps, with rests between: whoever drives it sleeps, interleaves several of them, or ends one early.

/**
 * Yields the milliseconds to rest. To end it early call `return()` and drive on: what it still yields then belongs to its
 * cleaning up.
 */
export type Steps<T> = Generator<number, T, void>;
