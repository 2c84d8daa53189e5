/** The flags of options: help, choices and parsing are derived from the rows of their table. */
import { checkJsonText } from '@punctual/core/check'
import { PunctualError } from '@punctual/core/errors'
import type { Form, FormOf, Option, OptionTable } from '@punctual/core/option'
import { type Command, Option as Flag } from 'commander'
import { parseBackoff } from './backoff.ts'
import { parseDuration, shortDuration } from './durations.ts'
import { parseInteger } from './integer.ts'
import { parsePairs } from './labels.ts'
import { parseRate } from './rate.ts'
import { readPayload } from './read-input.ts'

/** The values of flags, as the parser of the command line names them. */
export type FlagValues = Readonly<Record<string, unknown>>

/** How values are read that depend on the command. */
export interface Reading {
  readonly instant: (flag: string, text: string) => Date
  readonly payloadBytes: number
}

export function addOptionFlags(command: Command, table: OptionTable): Command {
  for (const { flag, help, default: value, choices, required } of flagsOf(table)) {
    const shown = value === null ? '' : ` (default: ${value.replaceAll('`', '')})`
    const added = new Flag(flag, `${help}${shown}`).makeOptionMandatory(required)
    command.addOption(choices === null ? added : added.choices(choices))
  }
  return command
}

interface OptionFlag {
  /** The flag with its value, as in `--priority <n>`. */
  readonly flag: string
  readonly help: string
  /** As it would be written; null when there is none. */
  readonly default: string | null
  readonly choices: readonly string[] | null
  readonly required: boolean
}

/** The flags of a table, and those of the members of its options, in their order. */
export function flagsOf(table: OptionTable): OptionFlag[] {
  return Object.values(table).flatMap((option: Option) => {
    const { flag, help, flagHelp = help, required = false } = option
    const { form } = option.kind
    // A member is required only when its option is given.
    if (form.type === 'members')
      return flagsOf(form.members).map((member) => ({ ...member, required: false }))
    if (form.type === 'variants')
      return Object.values(form.variants).flatMap((members) =>
        flagsOf(members).map((member) => ({ ...member, required: false })),
      )
    if (flag === null) return []
    const repeated = flag.endsWith('...>') ? '; may be repeated' : ''
    return {
      ...{ flag, help: `${flagHelp}${repeated}`, default: defaultOf(option), required },
      choices: form.type === 'choice' ? form.values : null,
    }
  })
}

function defaultOf({ default: value, defaultShown, kind }: Option): string | null {
  if (defaultShown !== undefined) return defaultShown
  if (value === undefined || value === false) return null
  return kind.form.type === 'duration' ? shortDuration(value as number) : String(value)
}

/** Flags that set several members of an option at once. */
const together: Readonly<Record<string, (text: string) => object>> = {
  '--rate': parseRate,
  '--shell': (command) => ({ command, shell: true }),
}

/** Returns the options that the flags set. */
export function optionsFrom(
  table: OptionTable,
  flags: FlagValues,
  reading: Reading,
): Record<string, unknown> {
  const options: Record<string, unknown> = {}
  for (const [name, option] of Object.entries(table)) {
    const { form } = option.kind
    if (form.type === 'members') {
      const members = optionsFrom(form.members, flags, reading)
      refuseIncomplete(form.members, members)
      if (Object.keys(members).length > 0) options[name] = members
    } else if (form.type === 'variants') {
      const target = variantFrom(form.variants, flags, reading)
      if (target !== null) options[name] = target
    } else if (option.flag !== null) {
      const value = flags[new Flag(option.flag).attributeName()]
      const flag = nameOf(option.flag)
      if (value === undefined) continue
      if (together[flag]) Object.assign(options, together[flag](value as string))
      else options[name] = parse(form, flag, value, reading)
    }
  }
  return options
}

/** Returns the variant that flags set: its kind and its members; null when they set none. */
function variantFrom(
  variants: FormOf<'variants'>['variants'],
  flags: FlagValues,
  reading: Reading,
): object | null {
  let found: { readonly kind: string } | null = null
  for (const [kind, table] of Object.entries(variants)) {
    const members = optionsFrom(table, flags, reading)
    if (Object.keys(members).length === 0) continue
    refuseIncomplete(table, members)
    if (found !== null)
      throw new PunctualError(
        'invalid_option',
        `The flags name targets of two kinds, ${found.kind} and ${kind}. Give those of one.`,
        { field: 'target' },
      )
    found = { kind, ...members }
  }
  return found
}

/** `--rate` of `--rate <n/unit>`. */
function nameOf(flag: string): string {
  return flag.split(' ')[0] as string
}

/** Refuses members of an option without those that it needs. */
function refuseIncomplete(members: OptionTable, given: Readonly<Record<string, unknown>>): void {
  const [first] = Object.keys(given)
  for (const [name, { required, flag }] of Object.entries(members)) {
    if (first === undefined || !required || flag === null || name in given) continue
    const refused = nameOf(members[first]?.flag ?? first)
    throw new PunctualError('invalid_option', `${refused} needs ${nameOf(flag)}.`, {
      field: refused,
    })
  }
}

function parse(form: Form, flag: string, value: unknown, reading: Reading): unknown {
  const text = value as string
  switch (form.type) {
    case 'integer':
      return parseInteger(flag, text)
    case 'duration':
    case 'delay':
    case 'span':
      return parseDuration(flag, text)
    case 'instant':
      return reading.instant(flag, text)
    case 'labels':
    case 'texts':
      return parsePairs(flag, value as readonly string[])
    case 'backoff':
      return parseBackoff(flag, text)
    case 'json':
      return checkJsonText(readPayload(text), 'payload', reading.payloadBytes)
    // Text, choices, switches and lists are the values of their flags.
    default:
      return value
  }
}
