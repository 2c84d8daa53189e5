/** The version of the time zone data that this process computes with, such as 2025b; they sort by age. */
export const zoneData: string = process.versions.tz ?? ''
