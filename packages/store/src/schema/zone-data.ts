/** The version of this process's time zone data, such as 2025b; later versions sort higher. */
export const zoneData: string = process.versions.tz ?? ''
