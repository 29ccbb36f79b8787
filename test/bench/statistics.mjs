// Medians, spreads and means.

export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)];
  return low + (sorted[Math.ceil(at)] - low) * (at - Math.floor(at));
}

export function summary(samples) {
  const [median, p25, p75] = [0.5, 0.25, 0.75].map((share) => quantile(samples, share));
  return { median, p25, p75, min: Math.min(...samples), samples: samples.length };
}

export function geometricMean(values) {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}
