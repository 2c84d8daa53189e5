/** Days in UTC, in the form of partition names: 20261115. */
export const DAY_MS = 86_400_000

export function dayStart(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS
}

export function dayName(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')
}

export function dayOfName(name: string): number {
  return Date.UTC(Number(name.slice(0, 4)), Number(name.slice(4, 6)) - 1, Number(name.slice(6, 8)))
}
