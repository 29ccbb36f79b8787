// From what Node's fs throws to what the kernel said: 0 or more for success, -errno for failure.

/** EIO (5 on every system): for what was no system error, so that no failure is taken for success. */
const EIO = 5;

export function failureOf(error: unknown): number {
  const errno = (error as { errno?: unknown }).errno;
  return typeof errno === 'number' && errno !== 0 ? -Math.abs(errno) : -EIO;
}

export function attempt(call: () => number | void): number {
  try {
    return call() ?? 0;
  } catch (error) {
    return failureOf(error);
  }
}
