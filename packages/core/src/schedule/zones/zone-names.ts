/**
 * Names of time zones, as the IANA database spells them.
 *
 * The runtime's own list has one name per time zone, often an old one (Asia/Calcutta), and the
 * runtime also accepts abbreviations that are not names at all, some with an unexpected meaning:
 * BST is Bangladesh there. So the names that the list leaves out are listed here, a name without a
 * slash must be in one of the two lists, and a time zone keeps the name that the caller gave:
 * Asia/Kolkata stays Asia/Kolkata.
 */

import { nearMiss } from '../../check/near-miss.ts'
import { PunctualError } from '../../errors/errors.ts'
import { shown } from '../../errors/failure.ts'

const NAME_LENGTH_MAX = 64
const NAME = /^[A-Za-z][A-Za-z0-9_+/-]*$/

const OTHER_NAMES = `
  Africa/Asmara Africa/Timbuktu America/Argentina/Buenos_Aires America/Argentina/Catamarca
  America/Argentina/ComodRivadavia America/Argentina/Cordoba America/Argentina/Jujuy
  America/Argentina/Mendoza America/Atikokan America/Atka America/Ensenada America/Fort_Wayne
  America/Indiana/Indianapolis America/Kentucky/Louisville America/Knox_IN America/Montreal
  America/Nipigon America/Nuuk America/Pangnirtung America/Porto_Acre America/Rainy_River
  America/Rosario America/Santa_Isabel America/Shiprock America/Thunder_Bay America/Virgin
  America/Yellowknife Antarctica/South_Pole Asia/Ashkhabad Asia/Choibalsan Asia/Chongqing
  Asia/Chungking Asia/Dacca Asia/Harbin Asia/Ho_Chi_Minh Asia/Istanbul Asia/Kashgar
  Asia/Kathmandu Asia/Kolkata Asia/Macao Asia/Tel_Aviv Asia/Thimbu Asia/Ujung_Pandang
  Asia/Ulan_Bator Asia/Yangon Atlantic/Faroe Atlantic/Jan_Mayen Australia/ACT Australia/Canberra
  Australia/Currie Australia/LHI Australia/NSW Australia/North Australia/Queensland
  Australia/South Australia/Tasmania Australia/Victoria Australia/West Australia/Yancowinna
  Brazil/Acre Brazil/DeNoronha Brazil/East Brazil/West CET CST6CDT Canada/Atlantic
  Canada/Central Canada/Eastern Canada/Mountain Canada/Newfoundland Canada/Pacific
  Canada/Saskatchewan Canada/Yukon Chile/Continental Chile/EasterIsland Cuba EET EST EST5EDT
  Egypt Eire Etc/GMT Etc/Greenwich Etc/UCT Etc/UTC Etc/Universal Etc/Zulu Europe/Belfast
  Europe/Kyiv Europe/Nicosia Europe/Tiraspol Europe/Uzhgorod Europe/Zaporozhye GB GB-Eire GMT
  GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland Iran Israel Jamaica Japan Kwajalein Libya MET
  MST MST7MDT Mexico/BajaNorte Mexico/BajaSur Mexico/General NZ NZ-CHAT Navajo PRC PST8PDT
  Pacific/Chuuk Pacific/Johnston Pacific/Kanton Pacific/Pohnpei Pacific/Samoa Pacific/Yap Poland
  Portugal ROC ROK Singapore Turkey UCT US/Alaska US/Aleutian US/Arizona US/Central
  US/East-Indiana US/Eastern US/Hawaii US/Indiana-Starke US/Michigan US/Mountain US/Pacific
  US/Samoa UTC Universal W-SU WET Zulu
`

/** The sign is that of POSIX: Etc/GMT-2 is two hours ahead of UTC. */
const FIXED = Array.from({ length: 27 }, (_, i) => `Etc/GMT${i < 13 ? `+${i}` : `-${i - 12}`}`)

/** Abbreviations that users write, with a suggestion for each. */
const ABBREVIATIONS: Readonly<Record<string, string>> = {
  z: 'UTC',
  pst: 'America/Los_Angeles',
  pdt: 'America/Los_Angeles',
  mdt: 'America/Denver',
  cst: 'America/Chicago',
  cdt: 'America/Chicago',
  edt: 'America/New_York',
  bst: 'Europe/London',
  cest: 'Europe/Paris',
  eest: 'Europe/Athens',
  ist: 'Asia/Kolkata',
  jst: 'Asia/Tokyo',
  aest: 'Australia/Sydney',
  aedt: 'Australia/Sydney',
}

let namesByLowerCase: Map<string, string> | undefined

function knownNames(): Map<string, string> {
  namesByLowerCase ??= new Map(
    [...OTHER_NAMES.trim().split(/\s+/), ...FIXED, ...Intl.supportedValuesOf('timeZone')].map(
      (name) => [name.toLowerCase(), name],
    ),
  )
  return namesByLowerCase
}

/** Returns the name in its canonical case. */
export function checkZoneName(name: unknown): string {
  if (typeof name !== 'string' || name.length > NAME_LENGTH_MAX || !NAME.test(name))
    return refuse(name)
  const known = knownNames().get(name.toLowerCase())
  // A name that is newer than the list above has a slash, like every name that the database still
  // adds.
  if (known === undefined && (!name.includes('/') || /^SystemV\//i.test(name))) return refuse(name)
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name })
  } catch {
    return refuse(name)
  }
  return known ?? name
}

function refuse(name: unknown): never {
  const message = `A time zone must be a name of the IANA database such as Europe/Berlin, or UTC; got ${shown(name)}. ${advice(name)}`
  throw new PunctualError('invalid_timezone', message.trim(), { field: 'timezone' })
}

function advice(name: unknown): string {
  if (typeof name !== 'string' || name.length > NAME_LENGTH_MAX) return ''
  if (/^(?:UTC|GMT)?[+-]?\d/i.test(name))
    return 'Offsets are not accepted because they have no daylight saving time; use a place, or a zone such as Etc/GMT-2, which is always two hours ahead of UTC (the sign is reversed).'
  const meant = suggestion(name.trim().replace(/\s+/g, '_'))
  return meant === null ? '' : `Did you mean ${meant}?`
}

function suggestion(name: string): string | null {
  const text = name.toLowerCase()
  const names = knownNames()
  const exact = names.get(text) ?? (Object.hasOwn(ABBREVIATIONS, text) && ABBREVIATIONS[text])
  if (exact) return exact
  const place = (zone: string) => zone.slice(zone.lastIndexOf('/') + 1)
  const places = new Map([...names.values()].map((zone) => [place(zone).toLowerCase(), zone]))
  const city = places.get(place(text)) ?? nearMiss(name, names.values())
  if (city) return city
  const near = nearMiss(place(text), places.keys())
  return near === null ? null : (places.get(near) ?? null)
}
