// Sizes as people read them: binary units with one decimal, as operators know them from the agents' own doctor.

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB', 'PB'];

/** `264.0 KB`; below 1024, `512 bytes`. */
export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return unit === 0 ? `${bytes} bytes` : `${value.toFixed(1)} ${UNITS[unit]}`;
}
