// Limits of the printed forms that the help has to tell.

/** Bytes of a blob that a table shows; longer ones are shown by their beginning and their length. */
export const MAX_BLOB = 128;
